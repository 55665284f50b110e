#include "base/plural.h"
#include "cli/arguments.h"
#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/note.h"
#include "engine/view/row/row_name.h"
#include "engine/view/view.h"

static gboolean all, yes;
static char *reason;

const GOptionEntry quarantine_options[]
    = { { "all", 0, 0, G_OPTION_ARG_NONE, &all,
          "list: also items that will be retried automatically", NULL },
        { "yes", 0, 0, G_OPTION_ARG_NONE, &yes,
          "retry or drop of the items of all jobs: do not ask", NULL },
        { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "retry, drop: why; the journal keeps it",
          "TEXT" },
        { NULL } };

static const struct {
  const char *name, *file; /* of the list: the view */
  guint most;              /* number of arguments */
  gboolean releases;
  const char *deed; /* that no item was there for */
} VERBS[] = {
  { "list", NULL, 0 },
  { "retry", "src/cli/sql/quarantine_retry.sql", 2, TRUE, "to retry" },
  { "drop", "src/cli/sql/quarantine_drop.sql", 2, FALSE, "to drop" },
};

#define LIST 0
#define RETRY 1
#define DROP 2

/* The index in VERBS; -1: error. */
static int
find_verb (Cli *cli, GError **error)
{
  const char *names[G_N_ELEMENTS (VERBS) + 1] = { NULL };
  const char *given = cli->n_arguments > 0 ? cli->arguments[0] : "list";
  for (guint i = 0; i < G_N_ELEMENTS (VERBS); i++) {
    names[i] = VERBS[i].name;
    if (!g_str_equal (given, VERBS[i].name))
      continue;
    if (cli->n_arguments <= VERBS[i].most + 1)
      return (int)i;
    cli_usage (error, "too many arguments");
    return -1;
  }
  arguments_set_unknown (error, "command", given, names);
  return -1;
}

/* Runs the job's released.sql for those of the ROWS that are its items. */
static gboolean
release (Pg *pg, const Job *job, const PgRows *rows, GError **error)
{
  GString *items = array_new (), *times = array_new ();
  guint n = 0;
  for (int i = 0; i < rows_count (rows); i++) {
    if (!g_str_equal (rows_text (rows, i, "job"), job->name))
      continue;
    array_add (items, rows_text (rows, i, "item"));
    array_add (times, rows_text (rows, i, "was"));
    n++;
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "item", array_take (items));
  pg_values_take (values, "next_try_at", array_take (times));
  g_autoptr (PgRows) done = n > 0 ? pg_run (pg, job->released, values, error) : NULL;
  return n == 0 || done != NULL;
}

static gboolean
release_all (Cli *cli, Pg *pg, const PgRows *rows, GError **error)
{
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    if (job->released != NULL && !release (pg, job, rows, error))
      return FALSE;
  }
  return TRUE;
}

/* Of a job without ITEM all items are meant, and without JOB those of all jobs. */
static gboolean
note (Cli *cli, Pg *pg, int verb, const char *job, const char *item, GError **error)
{
  g_autofree char *object = g_strjoin (" ", job != NULL ? job : "all", item, NULL);
  return cli_note (cli, pg, VERBS[verb].name, object, reason, error);
}

static PgRows *
ask (Pg *pg, int verb, const PgValues *values, GError **error)
{
  return verb == LIST ? view_ask (pg, VIEW_QUARANTINE, values, error)
                      : pg_run_file (pg, VERBS[verb].file, values, error);
}

static PgRows *
run (Cli *cli, Pg *pg, int verb, const char *job, const char *item, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "all", all ? "true" : "false");
  pg_values_set (values, "job", job);
  pg_values_set (values, "item", item);
  pg_values_set (values, "limit", NULL);
  view_bind_days (values, cli->jobs, cli->config);
  g_autoptr (PgRows) rows = NULL;
  if (!pg_begin (pg, error) || (rows = ask (pg, verb, values, error)) == NULL
      || (VERBS[verb].releases && !release_all (cli, pg, rows, error))
      || (verb != LIST && rows_count (rows) > 0 && !note (cli, pg, verb, job, item, error))
      || !pg_commit (pg, error))
    return NULL;
  return g_steal_pointer (&rows);
}

/* Counts all items, also those that the list does not show. */
static ExitCode
say_counts (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/sql/quarantine_count.sql", NULL, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  const gint64 restored = rows_int (rows, 0, "restored");
  output_end (cli->out);
  output_say (cli->out, "%s parked, %s will be retried", rows_text (rows, 0, "parked"),
              rows_text (rows, 0, "others"));
  if (restored > 0)
    output_say (cli->out, "%" G_GINT64_FORMAT " %s held after a restore: pruned holds", restored,
                plural (restored, "row is", "rows are"));
  return CODE_OK;
}

/* How many rows are held: of ITEM, or, if that is NULL, of JOB's restores. NULL: error. */
static PgRows *
count_held (Pg *pg, const char *job, const char *item, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", job);
  pg_values_set (values, "item", item);
  return pg_run_file (pg, "src/cli/sql/quarantine_held.sql", values, error);
}

/* A retry of many leaves restored rows alone. */
static ExitCode
say_restored (Cli *cli, Pg *pg, const char *job, GError **error)
{
  g_autoptr (PgRows) rows = count_held (pg, job, NULL, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  const gint64 held = rows_int (rows, 0, "restored");
  output_end (cli->out);
  if (held > 0)
    output_say (cli->out,
                "%" G_GINT64_FORMAT " restored %s held: pruned holds lists them, only pruned "
                "release lets a job remove one again",
                held, plural (held, "row stays", "rows stay"));
  return CODE_OK;
}

/* ITEM is not in quarantine; perhaps because it is held. */
static ExitCode
explain_none (Pg *pg, const char *job, const char *item, GError **error)
{
  g_autoptr (PgRows) rows = count_held (pg, NULL, item, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  const gboolean hold = rows_int (rows, 0, "holds") > 0;
  if (!hold && rows_int (rows, 0, "restored") == 0)
    return cli_fail (CODE_NOT_FOUND, error, "job %s has no item '%s' in quarantine", job, item);
  return cli_fail (CODE_NOT_FOUND, error,
                   "'%s' is not in quarantine: it is %s, from every job, and only "
                   "`pruned release '%s'` ends that",
                   item, hold ? "on hold" : "held after a restore", item);
}

/* ITEM as jobs write the key of its row, `orders:1.00` for `orders:1.0`. NULL: the same, or it is
 * no row. g_free it. */
static char *
spelled_by_jobs (Cli *cli, Pg *pg, const char *item)
{
  g_auto (RowName) row = { 0 };
  g_autoptr (GError) error = NULL;
  if (row_name_read (cli->jobs, pg, item, NULL, &row, &error) != ITEM_READ)
    return NULL;
  char *own = g_strdup_printf ("%s:%s", row.name, row.key);
  if (g_str_equal (own, item))
    g_clear_pointer (&own, g_free);
  return own;
}

ExitCode
command_quarantine (Cli *cli, GError **error)
{
  int verb = find_verb (cli, error);
  if (verb < 0)
    return CODE_USAGE;
  const char *job = cli->n_arguments > 1 ? cli->arguments[1] : NULL;
  const char *item = cli->n_arguments > 2 ? cli->arguments[2] : NULL;
  gboolean known = job == NULL || jobs_find (cli->jobs, job) != NULL;
  if (!known && VERBS[verb].releases && job_left_find (cli, job, error) == NULL)
    return CODE_NOT_FOUND;
  if (verb != LIST && job == NULL
      && ask_first (yes,
                    verb == DROP ? "drop the items of all jobs" : "retry the items of all jobs",
                    error)
             != CODE_OK)
    return CODE_USAGE;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autofree char *own = NULL;
  g_autoptr (PgRows) rows = run (cli, pg, verb, job, item, error);
  if (rows != NULL && item != NULL && rows_count (rows) == 0
      && (own = spelled_by_jobs (cli, pg, item)) != NULL) {
    item = own;
    rows_free (rows);
    rows = run (cli, pg, verb, job, item, error);
  }
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  /* A job whose folder was removed can have items left. */
  if (!known && rows_count (rows) == 0 && job_left_find (cli, job, error) == NULL)
    return CODE_NOT_FOUND;
  if (item != NULL && rows_count (rows) == 0)
    return explain_none (pg, job, item, error);
  output_table (cli->out, view_columns (VIEW_QUARANTINE));
  output_rows (cli->out, rows);
  output_end_list (cli->out, "No item %s.",
                   verb != LIST ? VERBS[verb].deed
                   : all        ? "is in quarantine"
                                : "is parked");
  return verb == LIST   ? say_counts (cli, pg, error)
         : item == NULL ? say_restored (cli, pg, job, error)
                        : CODE_OK;
}
