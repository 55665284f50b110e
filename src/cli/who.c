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
                                  { "erasure" },
                                  { "erasure_run" },
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

/* A row of an answer. */
typedef struct {
  const PgRows *rows;
  int row;
  gint64 at_us;
} Found;

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
  output_line (out, "%.19s  %s %s", rows_text (rows, row, "at"), item,
               rows_text (rows, row, "action"));
  if (job != NULL)
    output_line (out, "  by     %s (%s), T %.19s", job, reason,
                 rows_text (rows, row, "scheduled_at"));
  output_line (out, "  run    %s", rows_text (rows, row, "run_id"));
  if (rows_text (rows, row, "erasure") != NULL)
    output_line (out, "  of     erasure %s, run %s", rows_text (rows, row, "erasure"),
                 rows_text (rows, row, "erasure_run"));
  if (was != NULL)
    output_line (out, "  row    %s", was);
  if (restore != NULL)
    output_line (out, "  back   %s", restore);
  if (rows_text (rows, row, "restored_at") != NULL)
    output_line (out, "  then   a restore of it or of its run, %.19s",
                 rows_text (rows, row, "restored_at"));
}

static void
show (Cli *cli, const Found *found, gboolean first)
{
  const PgRows *rows = found->rows;
  const int row = found->row;
  const char *job = rows_text (rows, row, "job"), *args = rows_text (rows, row, "args");
  g_autoptr (json_t) parsed = args != NULL ? cell_from_text (CELL_JSON, args) : NULL;
  const char *table = rows_text (rows, row, "table_name"),
             *action = rows_text (rows, row, "action");
  const char *reason
      = job != NULL ? reason_of (jobs_find_loaded (cli->jobs, job), table, action, parsed) : NULL;
  g_autofree char *restore = restore_of (rows, row, !output_is_json (cli->out));
  if (!output_is_json (cli->out)) {
    if (!first)
      output_say (cli->out, "%s", "");
    say (cli->out, rows, row, reason != NULL ? reason : "an unknown rule", restore);
    return;
  }
  output_row (cli->out, cell_from_text (CELL_TIME, rows_text (rows, row, "at")),
              json_string (rows_text (rows, row, "run_id")), text_or_null (job),
              cell_from_text (CELL_TIME, rows_text (rows, row, "scheduled_at")),
              json_string (table), json_string (rows_text (rows, row, "name")),
              json_string (action), text_or_null (reason),
              cell_from_text (CELL_JSON, rows_text (rows, row, "row")), text_or_null (restore),
              cell_from_text (CELL_TIME, rows_text (rows, row, "restored_at")),
              text_or_null (rows_text (rows, row, "erasure")),
              text_or_null (rows_text (rows, row, "erasure_run")));
}

typedef struct {
  Cli *cli;
  Pg *pg;
  const Item *item;
  const char *spellings; /* all that its key is written as, an array literal; `{}`: it is one */
  GPtrArray *answers;    /* of PgRows */
  GArray *found;         /* of Found */
} Asking;

static gint
by_time (gconstpointer a, gconstpointer b)
{
  const gint64 x = ((const Found *)a)->at_us, y = ((const Found *)b)->at_us;
  return (x > y) - (x < y);
}

static gboolean
ask_key (const char *key, const char *in_json, gpointer data, GError **error)
{
  Asking *asking = data;
  const Config *config = asking->cli->config;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", asking->item->table);
  pg_values_set (values, "known", asking->item->known);
  pg_values_set (values, "key", key);
  pg_values_set (values, "in_json", in_json);
  pg_values_set (values, "spellings", asking->spellings);
  pg_values_set (values, "columns", asking->item->columns ? "true" : "false");
  pg_values_set (values, "references", config_job_text (config, "users.destroy", "references"));
  pg_values_set (values, "also",
                 config_job_text (config, "users.delete_placeholder", "references"));
  pg_values_int (values, "limit", limit);
  pg_values_set (values, "all", all ? "t" : "f");
  PgRows *rows = pg_run_file (asking->pg, "src/cli/sql/who.sql", values, error);
  if (rows == NULL)
    return FALSE;
  g_ptr_array_add (asking->answers, rows);
  for (int i = 0; i < rows_count (rows); i++) {
    const Found found = { rows, i, rows_int (rows, i, "at_us") };
    g_array_append_val (asking->found, found);
  }
  return TRUE;
}

/* As for Asking. */
static char *
spellings_of (const Item *item)
{
  GString *array = array_new ();
  for (guint i = 0; i < item->spellings->len; i++)
    array_add (array, item->spellings->pdata[i]);
  if (item->spellings->len > 0)
    array_add (array, item->key);
  return array_take (array);
}

/* The oldest first. A key that is written in several ways has an answer for each. */
static gboolean
ask (Asking *asking, GError **error)
{
  Pg *pg = asking->pg;
  const gboolean ok = pg_begin_read_only (pg, error)
                      && (all || pg_exec (pg, "SET LOCAL enable_seqscan = off", error))
                      && item_each_key (asking->item, ask_key, asking, error);
  if (!ok)
    cli_pg_failed (pg, error);
  pg_rollback (pg);
  if (asking->answers->len > 1)
    g_array_sort (asking->found, by_time);
  if ((gint64)asking->found->len > limit)
    g_array_set_size (asking->found, (guint)limit);
  return ok;
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
  ExitCode code = item_check (&item, cli, pg, FALSE, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (GPtrArray) answers = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  g_autofree char *spellings = spellings_of (&item);
  Asking asking = { cli, pg, &item, spellings, answers, found };
  if (!ask (&asking, error))
    return CODE_POSTGRES;
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < found->len; i++)
    show (cli, &g_array_index (found, Found, i), i == 0);
  output_end (cli->out);
  if (found->len == 0)
    return cli_fail (
        CODE_NOT_FOUND, error,
        "nothing is recorded of %s%s: within [audit] keep_days no run removed it, or its "
        "record was forgotten; what others remove is not known here%s",
        cli->arguments[0], all ? ", nor of rows that name it" : "",
        all ? "" : ". Rows that name it and that other runs removed: --all");
  if (!all)
    output_hint (cli->out, "Rows that name it and that other runs removed: --all finds all.");
  return CODE_OK;
}
