/* Passing over objects of a store that is down, so that they do not hold back those of the other:
 * which stores that are, how far a step reads, and when there is nothing to do but wait.
 *
 * Objects lie in the order of `pick_up_at`, of both stores. With all stores up, a step takes the
 * first. With one of them down, it looks at a window of the order only, takes what is of the others
 * there, and goes on behind it, so that no statement reads for long; at the end it waits. Then slot
 * 0 begins anew, the others go on where they were: what is ready before them is his.
 *
 * Threads: a worker. Ownership: the caller's, passing_clear.
 */
#pragma once
#include "pruned/job.h"
#include "pruned/store.h"

typedef struct {
  StoreDown down[STORES];
  gboolean any, all; /* of the stores that there are */
  char *stores;      /* array literal; "{}": none */
  char *edge;        /* where the window ends; NULL: no store was down */
  char *beyond;      /* just behind it; NULL: it goes to the end */
} Passing;

/* Which stores are down just now. BATCH: also those that were for it; NULL: none of these. */
void passing_look (Passing *passing, const StoreBatch *batch);
void passing_clear (Passing *passing);
/* The window from REACHED on (NULL: from the beginning), if one store is down and another is not.
 */
gboolean passing_measure (Step *step, Passing *passing, const char *reached, GError **error);
/* What the step does next after one that has read to REACHED (NULL: to the end): goes on, waits, or
 * ends. */
gboolean passing_go_on (Step *step, const Passing *passing, const char *reached, GError **error);
