/* Deletes an object with all of its versions and delete markers ([store.object] versions = all):
 * the versions of exactly its key are listed and deleted by their ids, a page of at most 1000 at a
 * time, until none is listed. Where there is none, the key itself is deleted, so that the service
 * has confirmed it; if that makes a delete marker, it goes as well.
 *
 * Invariant: only versions of the object's own key are named to the service. What was begun and not
 * ended is found again by the next list.
 * Threads: see s3_call.h. Ownership: the call is the caller's until it is sent.
 */
#pragma once
#include "store/s3_call.h"

/* The first call for ENTRY. */
Call *s3_versions_call (S3 *s3, const Entry *entry);
