/* Deleting objects: the local directory (file_store 1) and the S3 service (file_store 2) of
 * `[store.*]`, as a job sees them.
 *
 * Invariant: no object outside of the store's root or prefix is ever named to the store; an object
 * is reported as gone only if the store has said so.
 *
 * Threads: store_delete from any; DONE runs on a thread of the store and must not block.
 * Ownership: the caller owns the objects, which must live until DONE.
 */
#pragma once
#include <glib.h>
#include <stdatomic.h>

#define STORES 3 /* file_store 1 and 2 */

typedef enum {
  STORE_OPEN, /* no answer: cancelled, timed out, or the store is down (see StoreList.down) */
  STORE_DELETED,
  STORE_ABSENT, /* did not exist; counts as deleted */
  STORE_FAILED, /* `error` says why */
  STORE_UNSAFE  /* the path leaves the store, or is too long for it: never followed, so that another
                   try is of no use */
} StoreResult;

typedef struct {
  int file_store;
  const char *dir, *file;
  StoreResult result;
  gboolean marked; /* with STORE_DELETED: the service has made a delete marker only, and every
                      version stays readable */
  char *error;     /* g_free it; NULL: none */
} StoreObject;

/* A store that must not be used for a while. */
typedef struct {
  char *words;     /* why not; g_free it; NULL: it can be used */
  gint64 retry_ms; /* the back-off */
} StoreDown;

/* Objects to delete, and what became of them. */
typedef struct _StoreList StoreList;
struct _StoreList {
  const char *bucket; /* all are objects of this bucket of [store.object]: `file` is the key, and
                         file_store and dir are not used; NULL: they are where file_store says */
  StoreObject *objects;
  guint n;
  gint64 deadline_us;   /* monotonic; no request begins after it */
  atomic_int cancelled; /* may be set at any time */
  void (*done) (StoreList *list);
  gpointer data;
  /* set before DONE */
  StoreDown down[STORES]; /* by file_store */
  /* private to the stores */
  atomic_int parts, shut;
};

/* How many of its objects are `marked`. */
guint store_list_marked (const StoreList *list);
/* Frees what LIST holds: the objects, allocated in one piece, and what was found about them. */
void store_list_clear (StoreList *list);
/* Deletes as many objects of N lists as it can; calls DONE exactly once for each. A request can
 * name objects of several lists. */
void store_delete (StoreList *const *lists, guint n);
/* The `act` of N errands that only delete their LISTS: each is done when the store is. Sets `done`
 * and `data`. */
struct _Errand;
void errands_delete (struct _Errand *const *errands, StoreList *const *lists, guint n);

/* Whether FILE_STORE is known to be down, from any request of this process. FALSE: it can be used;
 * DOWN is untouched. */
gboolean store_is_down (int file_store, StoreDown *down);
/* Whether FILE_STORE is configured. */
gboolean store_is_set (int file_store);

/* Whether the path must never be followed: it is absolute, has a component `..`, or is empty. */
gboolean store_path_is_unsafe (const char *dir, const char *file);
