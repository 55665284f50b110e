/* What a bucket's versions mean for the objects that are deleted in it (docs/operations.md): asks
 * the service, and puts its answer into words.
 *
 * Threads: main; the calls block for a few seconds at most. Ownership: versions_clear.
 */
#pragma once
#include "config/config.h"

typedef enum {
  VERSIONS_FINE,  /* no version stays; or it is not known */
  VERSIONS_STAY,  /* what is deleted stays readable by its versions */
  VERSIONS_LOCKED /* they are to go, and cannot be listed: nothing will be deleted */
} VersionsLevel;

typedef struct {
  VersionsLevel level;
  char *words;
  const char *remedy; /* NULL: none */
} Versions;

/* BUCKET: NULL: that of [store.object]. */
Versions versions_of (const Config *config, const char *bucket);
void versions_clear (Versions *versions);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Versions, versions_clear)
