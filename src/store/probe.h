/* Checks whether a store can be reached, without changing anything in it.
 *
 * Threads: any; the call blocks for a few seconds at most.
 */
#pragma once
#include "config/config.h"
#include "pruned/store.h"
#include "store/root.h"

/* Whether the local root is the store's and can be written to. LOOK: its content. */
gboolean probe_local (const Config *config, RootLook *look, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Asks the service for an object that does not exist. FALSE: no answer, or bucket or credentials
 * are wrong. BUCKET: NULL: that of [store.object]. */
gboolean probe_object (const Config *config, const char *bucket, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

typedef enum {
  BUCKET_PLAIN,    /* it keeps no versions */
  BUCKET_VERSIONS, /* it does, or did: an object that is deleted stays readable by its version */
  BUCKET_UNKNOWN   /* the service has not said; *WHY (g_free it) says why not */
} BucketKind;
/* Asks whether the bucket keeps versions. A service that does not know the question keeps none. */
BucketKind probe_versions (const Config *config, const char *bucket, char **why);
/* With [store.object] versions = all: whether versions may be listed. The right to delete one is
 * not asked for. */
gboolean probe_list (const Config *config, const char *bucket, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* An object that is looked for. */
typedef struct {
  StoreObject object; /* its result: STORE_OPEN: not known; STORE_ABSENT; STORE_DELETED: it is
                         there */
  gint64 changed_us;  /* of one that is there: when it was written, by the store's clock; 0: not
                         known */
} ProbeObject;
/* Looks whether the N objects are there, with all of their versions if these go, one after the
 * other, until UNTIL_US (monotonic). BUCKET: as in StoreList. NULL: all are known; else why one is
 * not; g_free it. */
char *probe_objects (const Config *config, const char *bucket, ProbeObject *objects, guint n,
                     gint64 until_us);
