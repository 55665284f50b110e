/* What becomes of each row of a page: the job's decide.sql. A job without one decides by one word
 * for all of its rows (decide_all.sql).
 *
 * Threads: one worker, inside the step's transaction. Ownership: the caller frees what is returned;
 * arguments are borrowed.
 */
#pragma once
#include "engine/step/trial_rows.h"

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
