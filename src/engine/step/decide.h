/* What becomes of each row of a page: the job's decide.sql. A job without one decides by one word
 * for all of its rows (decide_all.sql). A trial holds these rows by word, and what statements get
 * of them.
 *
 * Threads: one worker, inside the step's transaction. Ownership: trial_clear; the caller frees what
 * is returned; arguments are borrowed.
 */
#pragma once
#include "engine/step/effects.h"

/* What has gone or changed below rows, beside these themselves. */
typedef struct {
  gint64 others, own; /* rows of other tables; of the own one */
  json_t *tables;     /* the others, as counters of a result */
} TrialBelow;

typedef struct {
  PgRows *decided;
  const char **what;    /* per row of decided; "failed" for a refused one */
  PgRows *children;     /* NULL: no children.sql */
  GPtrArray *refused;   /* of char: keys of rows that the statement on the job's table kept */
  gboolean torn;        /* a row was refused after others had changed for it: it cannot stand */
  gboolean unsettled;   /* the settings were changed while there were rows to decide: the same */
  gint64 below;         /* rows beside the own ones that files have deleted or changed */
  gint64 own_below;     /* rows of the own table that went because a row above them did */
  GHashTable *below_of; /* the same of one key -> TrialBelow, where the keys are of several runs;
                           NULL: none */
  gboolean stuck;       /* one that was to be emptied is as it was (portion_empty.sql) */
  GPtrArray *told;      /* of char, borrowed: words whose outcomes are in the bundle; NULL: none */
  BundleMark untold;    /* the bundle before these */
  Effects effects;
} Trial;
void trial_clear (Trial *trial);
/* N rows of TABLE have become WHAT below the row of the key OWNER, which is of one of several runs.
 */
void trial_note_below (Trial *trial, const char *owner, const char *table, const char *what,
                       gboolean own, gint64 n);
/* Adds to ALL what is below the row of KEY. */
void trial_add_below (const Trial *trial, const char *key, TrialBelow *all);

/* How many of N rows that were decided as WHAT change. */
gint64 trial_changed (const Job *job, const char *const *what, int n);
/* Rows decided as WORD (NULL: all that were not refused), as indexes. g_array_unref it. */
GArray *trial_rows (const Trial *trial, const char *word);
/* The step's own parameters, and EXTRA (may be NULL). */
PgValues *trial_values (Step *step, const PgStatement *statement, const Extra *extra);
/* The same, and the columns of decide that STATEMENT wants, as arrays of the rows WHICH. */
PgValues *trial_values_of (Step *step, const PgStatement *statement, const Trial *trial,
                           const GArray *which, const Extra *extra);

/* The statement that decides. FIRST: no earlier try of these keys was rolled back. */
const PgStatement *decide_statement (const Step *step, gboolean first);
/* Its parameters: KEYS and GONE are array literals; GONE names rows that are to count as gone. */
PgValues *decide_values (Step *step, const PgStatement *statement, const char *keys,
                         const char *gone, const Extra *extra);
/* FALSE: ROWS are not a decision about KEYS (of char): a column is missing, a key was left out, or
 * one is not of the page (guard.h). */
gboolean decide_is_whole (Step *step, const PgStatement *statement, const GPtrArray *keys,
                          const PgRows *rows, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Decides KEYS (of char) by what the tables say now, where those of GONE (an array literal) are no
 * more. NULL: an error. */
PgRows *decide_keys (Step *step, const GPtrArray *keys, const char *gone, const Extra *extra,
                     GError **error);
/* For a plan: how many rows of which tables go or change with KEYS, by COUNTS (foreseen.h). */
PgRows *decide_below (Step *step, const PgStatement *counts, const GPtrArray *keys, GError **error);
/* For a plan: the rows of children.sql for DECIDED (borrowed). The job has children. */
PgRows *decide_children (Step *step, PgRows *decided, GError **error);
