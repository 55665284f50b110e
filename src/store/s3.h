/* An S3 service as a store: DeleteObjects with up to 1000 keys per request, or single deletes if
 * the service has no bulk call.
 *
 * Invariant: an object counts as gone only if the service confirmed exactly its key.
 * Threads: s3_new, its free: main; delete_parts: any; answers on the HTTP thread. Ownership:
 * store.c.
 */
#pragma once
#include "config/config.h"
#include "store/part.h"

/* BUCKET: whose keys have no prefix; NULL: what [store.object] says. */
gpointer s3_new (const Config *config, const char *bucket, GError **error);
extern const StoreKind s3_kind;
