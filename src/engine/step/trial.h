/* One try of a set of keys: locks, decision, effects, children. It records nothing in the Step:
 * that is for the try that stays (record.h).
 *
 * Threads: one worker, inside the step's transaction. Ownership: trial_clear.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  PgRows *decided;
  const char **what;  /* per row of decided; "failed" for a refused one */
  PgRows *children;   /* NULL: no children.sql */
  GPtrArray *refused; /* of char: keys of rows that the job's own table did not give back */
} Trial;
void trial_clear (Trial *trial);

/* Further parameters of a job in C. */
typedef struct {
  GPtrArray *names, *texts;
} Extra;

/* HELD: keys whose rows the job's lock files lock in any case (`:held`), because an earlier try did
 * not get them. */
gboolean trial_run (Step *step, const GPtrArray *keys, const GPtrArray *held, const Extra *extra,
                    Trial *trial, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Rows decided as WORD (NULL: all that were not refused), as indexes. g_array_unref it. */
GArray *trial_rows (const Trial *trial, const char *word);
/* The step's own parameters, and EXTRA (may be NULL). */
PgValues *trial_values (Step *step, const PgStatement *statement, const Extra *extra);
/* The decision about KEYS anew, as the world is now. */
PgRows *trial_decide (Step *step, const GPtrArray *keys, const Extra *extra, GError **error);
/* Texts as an array literal. g_free it. */
char *trial_literal (const GPtrArray *texts);
