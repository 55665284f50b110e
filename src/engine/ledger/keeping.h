/* What is recorded of removed rows, and for how long: [audit] and [runs] of the configuration, in
 * the form that the database takes.
 *
 * Invariant: the database decides how long records are kept (`pruned.keeping`, the owner's): a
 * daemon can ask for longer, never for shorter.
 *
 * Threads: any, each with its own Pg. Ownership: see each function.
 */
#pragma once
#include "config/config.h"
#include "engine/job/job.h"
#include "pg/pg.h"

/* A regular expression of the column names that look like secrets. g_free it. */
char *keeping_secret (const Config *config);
/* What is recorded of single tables, as a JSON object: `{"users":"keys"}`. g_free it. */
char *keeping_rows_of (const Config *config);

/* Why the ledger of erasures cannot have the rows of JOB, which is no sentence; NULL: it can. The
 * program's, or JOB's. */
const char *keeping_forgets (const Config *config, const Job *job);
/* The same of all JOBS that are to remember rows. PRUNED_FATAL: it cannot, or there is no ledger;
 * with the place of the setting. */
gboolean keeping_remembers (const Config *config, const Jobs *jobs, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Sets `what` and `days` from the whole configuration. */
void keeping_values (const Config *config, PgValues *values);
/* Asks the database to keep records at least as long as the configuration says. */
gboolean keeping_ask (Pg *pg, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Where the database differs from the configuration: what, days (in the database), wanted.
 * rows_free it. */
PgRows *keeping_differs (Pg *pg, const Config *config, GError **error);
/* The owner sets the database to the configuration, in the open transaction of PG. */
gboolean keeping_set (Pg *pg, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
