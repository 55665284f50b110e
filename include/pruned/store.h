/* Deleting objects: the local directory (file_store 1) and the S3 service (file_store 2) of
 * `[store.*]`, as a job sees them.
 *
 * Invariant: no object outside of the store's root or prefix is ever named to it; an object is said
 * to be gone only if the store has said so. Threads: store_delete from any; DONE on a thread of the
 * store, which must not be held up. Ownership: the objects are the caller's and must live until
 * DONE.
 */
#pragma once
#include <glib.h>

#define STORES 3 /* file_store 1 and 2 */

typedef enum {
  STORE_OPEN, /* not answered: cancelled, out of time, or the store is down (see StoreBatch.down) */
  STORE_DELETED,
  STORE_ABSENT, /* was not there; counts as deleted */
  STORE_FAILED, /* `error` says why */
  STORE_UNSAFE  /* the path leaves the store: never followed */
} StoreResult;

typedef struct {
  int file_store;
  const char *dir, *file;
  StoreResult result;
  char *error; /* g_free it; NULL: none */
} StoreObject;

/* A store that is not to be asked for a while. */
typedef struct {
  char *words;     /* why not; g_free it; NULL: it may be asked */
  gint64 retry_ms; /* when to come again */
} StoreDown;

typedef struct _StoreBatch StoreBatch;
struct _StoreBatch {
  StoreObject *objects;
  guint n;
  gint64 deadline_us;      /* monotonic; nothing is begun after it */
  volatile gint cancelled; /* may be set at any time */
  void (*done) (StoreBatch *batch);
  gpointer data;
  /* set before DONE */
  StoreDown down[STORES]; /* by file_store */
  /* of the stores */
  volatile gint parts;
};

/* Deletes what it can; DONE is called exactly once. */
void store_delete (StoreBatch *batch);

/* Whether FILE_STORE was down a moment ago, whoever asked it in this process. FALSE: it may be
 * asked; DOWN is untouched. */
gboolean store_is_down (int file_store, StoreDown *down);
/* Whether it has its setting. */
gboolean store_is_set (int file_store);

/* Is PATH one that is never followed: absolute, a component `..`, empty? */
gboolean store_path_is_unsafe (const char *dir, const char *file);
