/* `pruned verify`: the second reading of a run, as people and scripts ask for it. */
#include "base/plural.h"
#include "base/spoken.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/replica.h"
#include "cli/runs/run_choice.h"
#include "engine/ledger/run.h"
#include "engine/reading/reading.h"

#define SAMPLE 1000
#define LOOKS_MS 10000 /* at most, for objects */
#define ALL_LOOKS_MS 3600000
#define PATIENT "SET LOCAL statement_timeout = '1h'"

static gboolean all;

const GOptionEntry verify_options[]
    = { { "all", 0, 0, G_OPTION_ARG_NONE, &all, "every row, not 1,000 of each table", NULL },
        { NULL } };

const char verify_more[]
    = "RUN is an id or its beginning; JOB is its last run that took rows. The rule is asked again, at the run's T, of the "
      "rows as the audit has them, by statements that have not chosen them; rows that are left and refer to one that has "
      "gone are looked for, and rows that were due and are there without a reason, and objects of rows that have gone: 100 of a sample. It reads in a read-only transaction, on the standby of [postgres] replica_url if that has the "
      "run. `wrong`, `left` and `lost` (what the audit has would "
      "not bring the row back as it was) are disagreements; `unsure` is what rests on other rows or columns, which may have changed "
      "since.\n"
      "Exit code 7: a row disagrees. Exit code 6: there is no such run, or nothing of it can be read again.";

static const Column COLUMNS[] = { { "verdict" }, { "table" }, { "key" }, { "says" }, { NULL } };

typedef struct {
  Cli *cli;
  Pg *pg;      /* that of the command: the primary */
  Pg *standby; /* NULL: none, or not asked */
  const char *on, *note;
  ReadingTally tally;
} Verify;

static void
show (ReadingVerdict verdict, const char *table, const char *key, const char *says, gpointer data)
{
  output_row (data, json_string (reading_words[verdict]), json_string (table),
              key != NULL ? json_string (key) : json_null (), json_string (says));
}

/* --- which run -------------------------------------------------------------------------------- */

static ExitCode
last_of (Verify *verify, const Job *job, char **id, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job->name);
  g_autoptr (PgRows) rows = pg_run_file (verify->pg, "src/cli/sql/verify_last.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (verify->pg, error);
  if (rows_count (rows) == 0)
    return cli_fail (CODE_NOT_FOUND, error, "no run of %s that is known has taken a row",
                     job->name);
  *id = g_strdup (rows_text (rows, 0, "run_id"));
  return CODE_OK;
}

static ExitCode
find_id (Verify *verify, char **id, GError **error)
{
  const char *given = verify->cli->arguments[0];
  const Job *job = jobs_find_loaded (verify->cli->jobs, given);
  const ExitCode code = !pg_begin_read_only (verify->pg, error) ? cli_pg_failed (verify->pg, error)
                        : job != NULL                           ? last_of (verify, job, id, error)
                                      : run_choice_one (verify->pg, given, id, error);
  pg_rollback (verify->pg);
  return code;
}

/* --- where it is read ------------------------------------------------------------------------- */

/* The run on the standby, in an open transaction there; NULL: it is not read there, and why. */
static PgRows *
find_there (Verify *verify, const char *id)
{
  g_autoptr (GError) error = NULL;
  verify->standby = cli_replica_pg (verify->cli);
  if (verify->standby == NULL)
    return NULL;
  g_autoptr (PgRows) rows
      = pg_ensure (verify->standby, &error) && pg_begin_read_only (verify->standby, &error)
            ? reading_find (verify->standby, id, &error)
            : NULL;
  if (rows != NULL && rows_count (rows) == 1 && run_has_ended (rows_text (rows, 0, "state")))
    return g_steal_pointer (&rows);
  pg_rollback (verify->standby);
  verify->note = rows == NULL ? "the standby does not answer" : "the standby lags behind the run";
  return NULL;
}

static PgRows *
find_run (Verify *verify, const char *id, Pg **where, GError **error)
{
  PgRows *there = find_there (verify, id);
  *where = there != NULL ? verify->standby : verify->pg;
  verify->on = there != NULL ? "standby" : "primary";
  if (there != NULL)
    return there;
  return pg_begin_read_only (verify->pg, error) ? reading_find (verify->pg, id, error) : NULL;
}

/* --- what it says ----------------------------------------------------------------------------- */

static json_t *
object_of (const Verify *verify, const PgRows *run)
{
  const ReadingTally *tally = &verify->tally;
  return json_pack ("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:f, s:s, s:O}", "run_id",
                    rows_text (run, 0, "run_id"), "job", rows_text (run, 0, "job"), "rows",
                    (json_int_t)tally->rows, "read", (json_int_t)tally->read, "wrong",
                    (json_int_t)tally->wrong, "left", (json_int_t)tally->left, "lost",
                    (json_int_t)tally->lost, "unsure", (json_int_t)tally->unsure, "due_asked",
                    tally->due, "objects", (json_int_t)tally->looked, "bound",
                    reading_bound (tally), "read_on", verify->on, "unread", tally->unread);
}

static void
say_unread (Output *out, const json_t *unread)
{
  size_t i;
  json_t *one;
  json_array_foreach (unread, i, one) {
    const gint64 rows = json_integer_value (json_object_get (one, "rows"));
    g_autofree char *number = spoken_number (rows),
                    *of = rows > 0
                              ? g_strdup_printf (" (%s %s)", number, plural (rows, "row", "rows"))
                              : g_strdup ("");
    output_line (out, "not read: %s%s: %s", json_string_value (json_object_get (one, "table")), of,
                 json_string_value (json_object_get (one, "why")));
  }
}

static void
say (Verify *verify, const PgRows *run)
{
  Output *out = verify->cli->out;
  const ReadingTally *tally = &verify->tally;
  g_autofree char *read = spoken_number (tally->read), *rows = spoken_number (tally->rows);
  output_line (out, "run %s of %s: %s of %s %s read again on the %s%s%s",
               rows_text (run, 0, "run_id"), rows_text (run, 0, "job"), read, rows,
               plural (tally->rows, "row", "rows"), verify->on, verify->note != NULL ? "; " : "",
               verify->note != NULL ? verify->note : "");
  say_unread (out, tally->unread);
  if (reading_disagrees (tally))
    output_alarm (out,
                  "%" G_GINT64_FORMAT " wrong, %" G_GINT64_FORMAT " left over, %" G_GINT64_FORMAT
                  " that would not come back: the rows above",
                  tally->wrong, tally->left, tally->lost);
  else if (tally->read == 0)
    output_line (out, reading_unread (tally) > 0 ? "nothing of it can be read again"
                                                 : "it has taken no row");
  else if (reading_bound (tally) > 0)
    output_line (
        out,
        "the rule takes all that were read: with 95 %% certainty fewer than %.2g %% of the "
        "rows are wrong",
        reading_bound (tally) * 100);
  else
    output_line (out, reading_unread (tally) > 0 ? "the rule takes all that could be read again"
                                                 : "the rule takes all of them");
  if (tally->due && !reading_disagrees (tally))
    output_line (out, "no row that was due then is left without a reason");
  if (tally->looked > 0) {
    g_autofree char *looked = spoken_number (tally->looked);
    output_line (out, "looked for %s %s of rows that have gone", looked,
                 plural (tally->looked, "object", "objects"));
  }
  if (tally->unsure > 0)
    output_line (out, "%" G_GINT64_FORMAT " unsure: see the rows above", tally->unsure);
}

static ExitCode
code_of (const Verify *verify, GError **error)
{
  const ReadingTally *tally = &verify->tally;
  if (reading_disagrees (tally))
    return cli_fail (CODE_ENDED_BADLY, error,
                     "the second reading disagrees: `pruned stop` while you look; `pruned restore` "
                     "puts rows back");
  if (tally->read == 0 && reading_unread (tally) > 0)
    return cli_fail (CODE_NOT_FOUND, error, "nothing of this run can be read again");
  return CODE_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

static ExitCode
read_run (Verify *verify, Pg *where, const PgRows *run, GError **error)
{
  Cli *cli = verify->cli;
  const char *name = rows_text (run, 0, "job"), *version = rows_text (run, 0, "job_version");
  const Job *job = version != NULL ? jobs_version (cli->jobs, name, version) : NULL;
  if (job == NULL)
    job = jobs_find_loaded (cli->jobs, name);
  g_autofree char *refusal = reading_refusal (job, run, 0, TRUE);
  if (refusal != NULL)
    return cli_fail (CODE_NOT_FOUND, error, "run %s cannot be read again: %s",
                     rows_text (run, 0, "run_id"), refusal);
  output_table (cli->out, COLUMNS);
  if (!pg_exec (where, PATIENT, error)
      || !reading_run (where, job, run, 0, all ? READING_ALL : SAMPLE, show, cli->out,
                       &verify->tally, error))
    return cli_pg_failed (where, error);
  pg_rollback (where);
  reading_look (job, all ? READING_ALL : SAMPLE, all ? ALL_LOOKS_MS : LOOKS_MS, show, cli->out,
                &verify->tally);
  output_end_list (cli->out, "No row disagrees.");
  g_autoptr (json_t) object = object_of (verify, run);
  output_object (cli->out, object);
  say (verify, run);
  return code_of (verify, error);
}

static ExitCode
verify_id (Verify *verify, const char *id, GError **error)
{
  Pg *where;
  g_autoptr (PgRows) run = find_run (verify, id, &where, error);
  ExitCode code = run == NULL ? cli_pg_failed (verify->pg, error) : CODE_OK;
  if (code == CODE_OK && rows_count (run) == 0)
    code = cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", id);
  if (code == CODE_OK)
    code = read_run (verify, where, run, error);
  pg_rollback (where);
  return code;
}

ExitCode
command_verify (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg_patient (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  Verify verify = { .cli = cli, .pg = pg };
  g_autofree char *id = NULL;
  reading_tally_init (&verify.tally);
  ExitCode code = find_id (&verify, &id, error);
  if (code == CODE_OK)
    code = verify_id (&verify, id, error);
  reading_tally_clear (&verify.tally);
  g_clear_pointer (&verify.standby, pg_free);
  return code;
}
