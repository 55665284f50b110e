/* `pruned who`: what the audit has of a row and of rows that name it. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/item.h"

#define LIMIT 1000

static gint64 limit = LIMIT;
static gboolean all;

const GOptionEntry who_options[]
    = { { "limit", 0, 0, G_OPTION_ARG_INT64, &limit, "at most this number of rows (default 1000)",
          "N" },
        { "all", 0, 0, G_OPTION_ARG_NONE, &all,
          "also rows that name the row and went in other runs: reads the whole audit", NULL },
        { NULL } };

const char who_more[]
    = "KEY is the primary key, as PostgreSQL reads its type, a text as it stands; or a JSON object of its columns. Rows that name a user are shown as "
      "well, and those that name the row and went in the same run; with --all, those of every run. Each has the command that puts back just this row.";

static const Column COLUMNS[] = { { "at", CELL_TIME },
                                  { "run_id" },
                                  { "job" },
                                  { "scheduled_at", CELL_TIME },
                                  { "table" },
                                  { "key" },
                                  { "action" },
                                  { "reason" },
                                  { "row", CELL_JSON },
                                  { "restore" },
                                  { "restored_at", CELL_TIME },
                                  { NULL } };

/* --- which rule ------------------------------------------------------------------------------- */

static gboolean
does (const JobWhat *what, const char *table, gboolean deleted)
{
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *apply = &g_array_index (what->apply, JobApply, i);
    if (g_str_equal (apply->table, table) && (apply->kind == APPLY_DELETE) == deleted)
      return TRUE;
  }
  return FALSE;
}

/* The word of the job's rule, as outcomes have it; a run that was asked for may carry its own. */
static const char *
reason_of (const Job *job, const char *table, const char *action, const json_t *args)
{
  const char *own = json_string_value (json_object_get (args, "reason"));
  if (own != NULL || job == NULL)
    return own;
  for (guint i = 0; i < job->whats->len; i++) {
    const JobWhat *what = job->whats->pdata[i];
    const char *reason = json_string_value (json_object_get (what->constants, "reason"));
    if (does (what, table, g_str_equal (action, "deleted")))
      return reason != NULL ? reason : what->word;
  }
  return job->name;
}

/* --- output ----------------------------------------------------------------------------------- */

/* NULL: only the key is recorded, or not even that. */
static char *
restore_of (const PgRows *rows, int row, gboolean on_a_line)
{
  if (rows_text (rows, row, "row") == NULL)
    return NULL;
  g_autofree char *item = item_argument (rows_text (rows, row, "table_name"),
                                         rows_text (rows, row, "typed"), on_a_line);
  return g_strdup_printf ("pruned restore %s --only %s", rows_text (rows, row, "run_id"), item);
}

static json_t *
text_or_null (const char *text)
{
  return text != NULL ? json_string (text) : json_null ();
}

/* For people: a line, the row as it was, and the command. */
static void
say (Output *out, const PgRows *rows, int row, const char *reason, const char *restore)
{
  const char *job = rows_text (rows, row, "job"), *was = rows_text (rows, row, "row");
  g_autofree char *item
      = item_argument (rows_text (rows, row, "table_name"), rows_text (rows, row, "typed"), TRUE);
  if (row > 0)
    output_say (out, "%s", "");
  output_line (out, "%.19s  %s %s", rows_text (rows, row, "at"), item,
               rows_text (rows, row, "action"));
  if (job != NULL)
    output_line (out, "  by     %s (%s), T %.19s", job, reason,
                 rows_text (rows, row, "scheduled_at"));
  output_line (out, "  run    %s", rows_text (rows, row, "run_id"));
  if (was != NULL)
    output_line (out, "  row    %s", was);
  if (restore != NULL)
    output_line (out, "  back   %s", restore);
  if (rows_text (rows, row, "restored_at") != NULL)
    output_line (out, "  then   a restore of it or of its run, %.19s",
                 rows_text (rows, row, "restored_at"));
}

static void
show (Cli *cli, const PgRows *rows, int row)
{
  const char *job = rows_text (rows, row, "job"), *args = rows_text (rows, row, "args");
  g_autoptr (json_t) parsed = args != NULL ? cell_from_text (CELL_JSON, args) : NULL;
  const char *table = rows_text (rows, row, "table_name"),
             *action = rows_text (rows, row, "action");
  const char *reason
      = job != NULL ? reason_of (jobs_find_loaded (cli->jobs, job), table, action, parsed) : NULL;
  g_autofree char *restore = restore_of (rows, row, !output_is_json (cli->out));
  if (!output_is_json (cli->out)) {
    say (cli->out, rows, row, reason != NULL ? reason : "an unknown rule", restore);
    return;
  }
  output_row (cli->out, cell_from_text (CELL_TIME, rows_text (rows, row, "at")),
              json_string (rows_text (rows, row, "run_id")), text_or_null (job),
              cell_from_text (CELL_TIME, rows_text (rows, row, "scheduled_at")),
              json_string (table), json_string (rows_text (rows, row, "name")),
              json_string (action), text_or_null (reason),
              cell_from_text (CELL_JSON, rows_text (rows, row, "row")), text_or_null (restore),
              cell_from_text (CELL_TIME, rows_text (rows, row, "restored_at")));
}

static PgRows *
ask (Cli *cli, Pg *pg, const Item *item, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", item->table);
  pg_values_set (values, "key", item->key);
  pg_values_set (values, "in_json", item->in_json);
  pg_values_set (values, "columns", item->columns ? "true" : "false");
  pg_values_set (values, "references",
                 config_job_text (cli->config, "users.destroy", "references"));
  pg_values_set (values, "also",
                 config_job_text (cli->config, "users.delete_placeholder", "references"));
  pg_values_int (values, "limit", limit);
  pg_values_set (values, "all", all ? "t" : "f");
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin_read_only (pg, error)
      && (all || pg_exec (pg, "SET LOCAL enable_seqscan = off", error)))
    rows = pg_run_file (pg, "src/cli/sql/who.sql", values, error);
  if (rows == NULL)
    cli_pg_failed (pg, error);
  pg_rollback (pg);
  return g_steal_pointer (&rows);
}

ExitCode
command_who (Cli *cli, GError **error)
{
  g_auto (Item) item = { 0 };
  if (limit < 1)
    return cli_usage (error, "--limit: at least 1");
  if (!item_parse (cli->arguments[0], &item, error))
    return CODE_USAGE;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  ExitCode code = item_check (&item, pg, FALSE, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (PgRows) rows = ask (cli, pg, &item, error);
  if (rows == NULL)
    return CODE_POSTGRES;
  output_table (cli->out, COLUMNS);
  for (int i = 0; i < rows_count (rows); i++)
    show (cli, rows, i);
  output_end (cli->out);
  if (rows_count (rows) == 0)
    return cli_fail (
        CODE_NOT_FOUND, error,
        "nothing is recorded of %s%s: within [audit] keep_days no run removed it, or its "
        "record was forgotten; what others remove is not known here",
        cli->arguments[0],
        all ? ", nor of rows that name it"
            : "; rows that name it and that other runs removed: --all");
  if (!all)
    output_hint (cli->out, "Rows that name it and that other runs removed: --all finds all.");
  return CODE_OK;
}
