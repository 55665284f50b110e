/* One step's part of what belongs to a batch: drain.c goes from what is furthest away to what is
 * next to it, own.c to the tables that have a file of their own.
 *
 * Threads: as pruned/job.h. Ownership: answers belong to the Referring, references to the
 * connection.
 */
#pragma once
#include "jobs/groups.destroy/destroy.h"

/* The columns that refer to it, and which of them have rows. */
typedef struct {
  const PgRows *references;
  GPtrArray *answers;
  const PgRows *there; /* of the answers */
  int n;               /* of its rows */
} Referring;

/* How many rows an effect has changed: it says so, or gives them back. */
gint64 drain_changed (const PgRows *answer);
/* The first N of GONE. */
void drain_note_gone (Batch *batch, const GPtrArray *gone, guint n);
/* A table is empty when it gave back less than it was asked for. A step that has been cut has done
 * its share with one that was not. */
gboolean drain_all_empty (const Batch *batch, const GPtrArray *gone, guint n);
/* Queues what holds the rows of one level that go now, then as many looks at who else refers to
 * these. */
gboolean drain_queue_holds (Step *step, const Batch *batch, const Referring *found, int from,
                            int to, guint *n, GError **error);
/* What no level has: rows that are tied to the batch by a longer way, by a circle, or that came
 * meanwhile. */
gboolean drain_sweep_others (Step *step, Batch *batch, const PgRows *others, GError **error);
/* The first answer from FIRST on that has rows; NULL: none. */
const PgRows *drain_first_found (const GPtrArray *answers, guint first);

/* Holds what the files delete next, where a key leads to its rows. *CLEAR: they do not (any more).
 */
gboolean drain_hold_own (Step *step, Batch *batch, const Referring *found, gboolean *clear,
                         GError **error);
/* What belongs to the batch, and in the same round trip holds on to what is next to it, from NEXT
 * on. *CLEAR: nothing else refers to that. */
gboolean drain_own (Step *step, Batch *batch, const Referring *found, int next, gboolean *clear,
                    GError **error);
