/* Skips objects of a store that is down, so that they do not hold back those of the other store:
 * which stores are down, how far a step reads, and when it can only wait.
 *
 * Objects of both stores lie in the order of `pick_up_at`. With all stores up, a step takes the
 * first. With one store down, it reads only a window of that order, takes the objects of the other
 * store there, and continues behind it, so that no statement reads for long. At the end it waits.
 * Then slot 0 starts again at the beginning and takes what is ready there; the other slots continue
 * where they were.
 *
 * Threads: a worker. Ownership: the caller frees it with passing_clear.
 */
#pragma once
#include "jobs/ci.delete_objects/leased.h"
#include "pruned/job.h"
#include "pruned/store.h"

typedef struct {
  StoreDown down[STORES];
  gboolean any, all; /* of the configured stores are down */
  char *stores;      /* those that are down, an array literal; "{}": none */
  char *edge;        /* where the window ends; NULL: no store was down */
  char *beyond;      /* just behind it; NULL: the window reaches the end */
} Passing;

/* Finds which stores are down. LIST (can be NULL): also those that were down for this list. */
void passing_look (Passing *passing, const StoreList *list);
void passing_clear (Passing *passing);
/* Finds the window from REACHED on (NULL: from the beginning), if one store is down and another is
 * not. */
gboolean passing_measure (Step *step, Passing *passing, const char *reached, GError **error);
/* What follows a step that has read to REACHED (NULL: to the end): the run continues, waits, or
 * ends.
 */
gboolean passing_continue (Step *step, const Passing *passing, const Leased *leased,
                           const char *reached, GError **error);
