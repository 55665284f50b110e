/* What a trial holds: its rows by word, and their values for statements.
 *
 * Threads: one worker, inside the step's transaction. Ownership: trial_clear.
 */
#pragma once
#include "engine/step/effects.h"

typedef struct {
  PgRows *decided;
  const char **what;  /* per row of decided; "failed" for a refused one */
  PgRows *children;   /* NULL: no children.sql */
  GPtrArray *refused; /* of char: keys of rows that the statement on the job's table kept */
  gboolean torn;      /* a row was refused after others had changed for it: it cannot stand */
  gboolean unsettled; /* the settings were changed while there were rows to decide: the same */
  gint64 below;       /* rows beside the own ones that files have deleted or changed */
  gint64 own_below;   /* rows of the own table that went because a row above them did */
  gboolean stuck;     /* one that was to be emptied is as it was (portion_empty.sql) */
  GPtrArray *told;    /* of char, borrowed: words whose outcomes are in the bundle; NULL: none */
  BundleMark untold;  /* the bundle before these */
  Effects effects;
} Trial;
void trial_clear (Trial *trial);

/* How many of N rows that were decided as WHAT change. */
gint64 trial_changed (const Job *job, const char *const *what, int n);
/* Rows decided as WORD (NULL: all that were not refused), as indexes. g_array_unref it. */
GArray *trial_rows (const Trial *trial, const char *word);
/* The step's own parameters, and EXTRA (may be NULL). */
PgValues *trial_values (Step *step, const PgStatement *statement, const Extra *extra);
/* The same, and the columns of decide that STATEMENT wants, as arrays of the rows WHICH. */
PgValues *trial_values_of (Step *step, const PgStatement *statement, const Trial *trial,
                           const GArray *which, const Extra *extra);
