/* One try of a set of keys: locks, decision, effects, children. It records nothing in the Step:
 * that is for the try that stays (record.h).
 *
 * Threads: one worker, inside the step's transaction. Ownership: trial_clear.
 */
#pragma once
#include "engine/step/effects.h"

/* In the cursor: how often one row alone took too long. */
#define TRIAL_TIMEOUTS "timeouts"

typedef struct {
  PgRows *decided;
  const char **what; /* per row of decided; "failed" for a refused one */
  PgRows *children;  /* NULL: no children.sql */
  GPtrArray
      *refused; /* of char: keys of rows that the statement on the job's own table did not return */
  gboolean torn;     /* a row was refused after others had changed for it: the try cannot stand */
  gint64 below;      /* rows of other tables that a sentence has deleted */
  GPtrArray *told;   /* of char, borrowed: words whose outcomes are in the step's bundle already;
                        NULL:   none */
  BundleMark untold; /* the bundle before these */
  Effects effects;
} Trial;
void trial_clear (Trial *trial);

/* Tries KEYS under a savepoint. TRUE: they went through; with KEEP the effects stay. FALSE without
 * an error: a row is at fault, and *REASON is PostgreSQL's message. */
gboolean trial_run (Step *step, const GPtrArray *keys, const Extra *extra, gboolean keep,
                    Trial *trial, char **reason, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Rows decided as WORD (NULL: all that were not refused), as indexes. g_array_unref it. */
GArray *trial_rows (const Trial *trial, const char *word);
/* The step's own parameters, and EXTRA (may be NULL). */
PgValues *trial_values (Step *step, const PgStatement *statement, const Extra *extra);
/* The same, and the columns of decide that STATEMENT wants, as arrays of the rows WHICH. */
PgValues *trial_values_of (Step *step, const PgStatement *statement, const Trial *trial,
                           const GArray *which, const Extra *extra);
/* For a plan: the decision about KEYS (of char), where those of GONE are no more (an array
 * literal).
 */
PgRows *trial_decide_planned (Step *step, const GPtrArray *keys, const char *gone, GError **error);
/* For a plan: how many rows of which other tables go with KEYS. The job has `below`. */
PgRows *trial_below_planned (Step *step, const GPtrArray *keys, GError **error);
/* For a plan: the rows of children.sql for DECIDED (borrowed). NULL: error. The job has children.
 */
PgRows *trial_children_planned (Step *step, PgRows *decided, GError **error);
/* Decides KEYS again, by what the tables say now. */
PgRows *trial_decide (Step *step, const GPtrArray *keys, const Extra *extra, GError **error);
