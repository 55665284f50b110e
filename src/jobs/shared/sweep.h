/* Rows with all that foreign keys of one column or several would take along with them (ON DELETE
 * CASCADE) or change (SET NULL, SET DEFAULT): each table's by a statement of its own, children
 * first, so that the audit sees them (cascades.sql).
 *
 * Invariant: rows go only when nothing refers to them that we may delete, and are locked before
 * that is looked at for the last time, so that nobody puts a row below them in between; what does
 * not fit into `left` stays for the next step. Threads: a worker. Ownership: texts are the
 * caller's.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  Step *step;
  const char *user_id;                        /* what conditions may name; NULL: they do not */
  const char *projects, *namespaces, *groups; /* array literals of ids, the same */
  const char *const *refused; /* tables whose rows must not go with others, ended by NULL */
  gint64 left;                /* rows that may still go */
} Sweep;

/* Deletes rows of RELATION that fulfil CONDITION (on alias x<DEPTH>). *REMOVED: how many of
 * RELATION itself. Fails with a reason in the data where a refused table has such rows. */
gboolean sweep_rows (Sweep *sweep, const char *relation, const char *condition, int depth,
                     int *removed, GError **error) G_GNUC_WARN_UNUSED_RESULT;
