/* What each job did last night, what is usual, and its state in words: one judgement for the
 * command `night`, for `doctor`, and for the metrics that alerts ask.
 *
 * The statement (sql/night.sql) judges, from pruned.nights, pruned.runs and the quarantine; this
 * module says it in words.
 *
 * Invariant: whoever tells whether a night was right asks here, so no two of them say otherwise.
 *
 * Threads: those of the connection. Ownership: as said.
 */
#pragma once
#include "base/json.h"
#include "config/cron.h"
#include "pg/pg.h"

typedef struct _Night Night;

/* SETTINGS: {job: {setting: value}} as processes register them: which jobs, in this order; `mode`,
 * `enabled`, `schedule`, `time_zone`, `catch_up` and `min_ratio` are read. */
Night *night_new (const json_t *settings);
void night_free (Night *night);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Night, night_free)

/* What is known of rows past their deadlines, {job: what overdue_look has found} (borrowed).
 * Without it: what the processes have last found. */
void night_set_overdue (Night *night, const json_t *overdue);

/* The longest time between two ticks, in seconds; 0: there are none. CRON NULL: 0. */
double night_interval_s (const Cron *cron, GTimeZone *zone);

/* The rows of night.sql, in the caller's transaction. SINCE: also what was done since then, a day;
 * NULL: not asked. NULL: error. */
PgRows *night_ask (Pg *pg, const Night *night, const char *since, GError **error);

/* Nothing of the job in ROW is done: its tick or its runs are late, and no process runs, or none
 * does them. */
gboolean night_is_stuck (const PgRows *rows, int row);
/* The state of the job in ROW: `ok`, `502 fail: refunds_order_id_fkey`. g_free it. */
char *night_says (const PgRows *rows, int row);
/* `3 d past their deadline: no rule names them`, of the overdue rows in ROW; NULL: there are none
 * that should not be there. g_free it. */
char *night_says_overdue (const PgRows *rows, int row);
/* What a person can do about it, commands to copy; empty: nothing is to be done. g_strfreev it. */
char **night_commands (const PgRows *rows, int row);
