/* `--wait[=S]`: a command that waits until a run has ended.
 *
 * Threads: main only. A process has one command, and so one such option.
 */
#pragma once
#include "cli/cli.h"

#define RUN_WAIT_LOOK_US (200 * 1000)

extern gint64 run_wait_s; /* -1: do not wait */

/* A GOptionArgFunc. */
gboolean run_wait_option (const char *option, const char *value, gpointer data, GError **error);
/* ROWS, of run_row_find: the run has ended or is held. */
gboolean run_wait_is_over (const PgRows *rows);
/* Warns whoever begins to wait for a run of JOB that it is paused, or everything stopped. */
void run_wait_warn (Pg *pg, const char *job);
/* The time is over: the error that says why the run of JOB has not ended. ROWS: its row, or none.
 */
ExitCode run_wait_say_why (Pg *pg, const char *run_id, const char *job, const PgRows *rows,
                           GError **error);
/* Waits until the run RUN_ID has ended or is held, and shows its page (run_page.h). */
ExitCode run_wait (Cli *cli, const char *run_id, GError **error);
