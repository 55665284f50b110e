/* Removes one step's share of what belongs to a portion: drain.c from the furthest rows to those
 * next to it, own.c the tables that have a file of their own. drain_part.c has what both use.
 *
 * Threads: as pruned/job.h. Ownership: answers belong to the Referring, references to the
 * connection.
 */
#pragma once
#include "jobs/groups.destroy/portion.h"

/* The columns that refer to the portion, and which of them have rows. */
typedef struct {
  const PgRows *references;
  GPtrArray *answers;
  const PgRows *there; /* the references that have rows; one of the answers */
  int n;               /* how many these are */
  gboolean *updated;   /* by row of `references`: this step has updated all that it found */
} Referring;

/* Removes what belongs to the portion. *EMPTY: nothing is left. */
gboolean drain_portion (Step *step, Portion *portion, gboolean *empty, GError **error);

/* The reference of row I of `there`. */
int drain_reference_row (const Referring *found, int i);
/* How many rows an effect has changed: its column `n`, or the rows that it returned. */
gint64 drain_changed (const PgRows *answer);
/* Adds the first N of GONE to the removed rows. */
void drain_note_gone (Portion *portion, const GPtrArray *gone, guint n);
/* A table is empty if it returned fewer rows than it was asked for. A step that was cut ends with
 * the first table that was not empty. */
gboolean drain_all_empty (const Portion *portion, const GPtrArray *gone, guint n);
/* Queues the locks of one level's rows, then as many checks for other rows that refer to these. */
gboolean drain_queue_holds (Step *step, const Portion *portion, const Referring *found, int from,
                            int to, guint *n, GError **error);
/* Removes rows that no level has: those tied to the portion by a longer way or a circle, or
 * inserted meanwhile. */
gboolean drain_sweep_others (Step *step, Portion *portion, const PgRows *others, GError **error);
/* The first answer from FIRST on that has rows; NULL: none. */
const PgRows *drain_first_found (const GPtrArray *answers, guint first);

/* Locks the rows that the files delete next, where a key leads to them. *CLEAR: no other row refers
 * to them. */
gboolean drain_hold_own (Step *step, Portion *portion, const Referring *found, gboolean *clear,
                         GError **error);
/* Removes what belongs to the portion, and in the same round trip locks the references next to it,
 * from NEXT on. *CLEAR: no other row refers to those. */
gboolean drain_own (Step *step, Portion *portion, const Referring *found, int next, gboolean *clear,
                    GError **error);
