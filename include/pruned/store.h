/* Deleting objects: the local directory (file_store 1) and the S3 service (file_store 2) of `[store.*]`, as a job sees them.
 *
 * Invariant: no object outside of the store's root or prefix is ever named to it; an object is said to be gone only if the
 * store has said so.
 * Threads: store_delete from any; DONE on a thread of the store, which must not be held up.
 * Ownership: the objects are the caller's and must live until DONE.
 */
#pragma once
#include <glib.h>

typedef enum {
  STORE_OPEN,    /* not answered: cancelled, out of time, or the store is down (see StoreBatch.down) */
  STORE_DELETED,
  STORE_ABSENT,  /* was not there; counts as deleted */
  STORE_FAILED,  /* `error` says why */
  STORE_UNSAFE   /* the path leaves the store: never followed */
} StoreResult;

typedef struct {
  int file_store;
  const char *dir, *file;
  StoreResult result;
  char *error;   /* g_free it; NULL: none */
} StoreObject;

typedef struct _StoreBatch StoreBatch;
struct _StoreBatch {
  StoreObject *objects;
  guint n;
  gint64 deadline_us;            /* monotonic; nothing is begun after it */
  volatile gint cancelled;       /* may be set at any time */
  void (*done) (StoreBatch *batch);
  gpointer data;
  /* set before DONE */
  char *down;                    /* a store is down, in its words; g_free it */
  gint64 retry_ms;               /* then: when to come again */
  /* of the stores */
  volatile gint parts;
};

/* Deletes what it can; DONE is called exactly once. */
void store_delete (StoreBatch *batch);

/* Is PATH one that is never followed: absolute, a component `..`, empty? */
gboolean store_path_is_unsafe (const char *dir, const char *file);
