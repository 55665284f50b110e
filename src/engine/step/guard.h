/* What a job's page and its decision return is checked before it is used, because the files can
 * come from outside (effects.h: what its apply files change). What is wrong ends the step: it is
 * rolled back, and its run is blocked with a reason that names the file. Nothing is charged to a
 * row or to the run.
 *
 * Threads: one worker, inside the step's transaction. Ownership: of its arguments: none.
 * Rules: docs/adding-a-job.md.
 */
#pragma once
#include "engine/step/page_keys.h"

/* A build that only measures what the guards cost has none (make UNGUARDED=1, tests/bench). */
#ifdef PRUNED_UNGUARDED
#define GUARDS FALSE
#else
#define GUARDS TRUE
#endif

/* Reasons begin with it: blocked_put.sql and blocked_claim.sql know them by it. */
#define GUARD_PREFIX "guard: "

/* The step is blocked: STATEMENT's file, as its folder has it, and what is wrong with it. Returns
 * FALSE with ERROR. */
gboolean guard_block (Step *step, const PgStatement *statement, GError **error, const char *format,
                      ...) G_GNUC_PRINTF (4, 5);

/* ROWS of STATEMENT have these COLUMNS (names, separated by blanks). PRUNED_RETRY names file and
 * column. */
gboolean guard_columns (const PgStatement *statement, const PgRows *rows, const char *columns,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, and without a NULL in them. */
gboolean guard_whole (const PgStatement *statement, const PgRows *rows, const char *columns,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* ROWS have the columns that page.sql has to return. */
gboolean guard_page_columns (const Job *job, const PgRows *rows, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The cursor of a page of RUN lies behind the one that the page was given, the row behind the page
 * lies behind its cursor, and no row before the one before it. */
gboolean guard_page_advances (const Run *run, const Page *page);
/* The same, and no key is there twice. */
gboolean guard_page (Step *step, const Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* DECIDED are rows of STATEMENT about KEYS (of char): each key once, no other, and only words that
 * the job declares. */
gboolean guard_decided (Step *step, const PgStatement *statement, const GPtrArray *keys,
                        const PgRows *decided, GError **error) G_GNUC_WARN_UNUSED_RESULT;
