#include "cli/runs/run_choice.h"

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/job_left.h"

#include <string.h>

#define DIGITS 32

const char run_choice_more[]
    = "ID is the id of a run, or a beginning of it that no other run has. A filter selects all runs that it matches "
      "and that can be changed in this way. On a terminal the command asks first; elsewhere it needs --yes.";

static const char *const STATES[] = { "waiting", "ready", "held", "dead", "blocked", NULL };

static const char *const ENDED[] = { "finished", "skipped", NULL };

gboolean
run_choice_is_filter (const RunFilter *filter)
{
  return filter->job != NULL || filter->state != NULL || filter->error_class != NULL
         || filter->since != NULL;
}

ExitCode
run_choice_check (Cli *cli, const RunFilter *filter, GError **error)
{
  gint64 since_us;
  gboolean filtered = run_choice_is_filter (filter);
  if (filtered == (cli->n_arguments > 0))
    return cli_usage (error, filtered ? "either ids of runs, or a filter"
                                      : "an argument is missing: ids of runs, or a filter like "
                                        "--state dead");
  if (filter->job != NULL && strpbrk (filter->job, "*?") != NULL)
    return cli_usage (error, "--job: the name of one job, and no pattern");
  if (filter->state != NULL && g_strv_contains (ENDED, filter->state))
    return cli_usage (error, "--state: a %s run has ended", filter->state);
  if (filter->job != NULL && !job_left_known (cli, filter->job, error))
    return CODE_NOT_FOUND;
  if (filter->state != NULL && !g_strv_contains (STATES, filter->state)) {
    arguments_set_unknown (error, "state", filter->state, STATES);
    return CODE_USAGE;
  }
  if (filter->since != NULL && !cli_time (filter->since, &since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  return CODE_OK;
}

/* PREFIX followed by DIGIT up to the length of an id; NULL: it is no beginning of one. */
static char *
padded (const char *prefix, char digit)
{
  GString *id = g_string_new (NULL);
  for (const char *at = prefix; *at != '\0'; at++)
    if (g_ascii_isxdigit (*at))
      g_string_append_c (id, *at);
    else if (*at != '-')
      break;
  gboolean whole = strspn (prefix, "0123456789abcdefABCDEF-") == strlen (prefix) && id->len > 0
                   && id->len <= DIGITS;
  while (whole && id->len < DIGITS)
    g_string_append_c (id, digit);
  return g_string_free (id, !whole);
}

ExitCode
run_choice_one (Pg *pg, const char *given, char **id, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  char *low = padded (given, '0');
  if (low == NULL)
    return cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", given);
  pg_values_take (values, "low", low);
  pg_values_take (values, "high", padded (given, 'f'));
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_ids.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (rows_count (rows) == 0)
    return cli_fail (CODE_NOT_FOUND, error, "there is no run '%s'", given);
  if (rows_count (rows) > 1)
    return cli_usage (error, "'%s' is ambiguous: %s, %s, ...", given, rows_text (rows, 0, "run_id"),
                      rows_text (rows, 1, "run_id"));
  *id = g_strdup (rows_text (rows, 0, "run_id"));
  return CODE_OK;
}

static void
add_once (GPtrArray *ids, const char *id)
{
  if (!g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
    g_ptr_array_add (ids, g_strdup (id));
}

/* A command about an erasure is about its runs: those that are held are approved, those that are
 * dead or wait are retried, all are discarded. */
static ExitCode
add_with_runs (Pg *pg, const char *id, const char *word, GPtrArray *ids, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", id);
  pg_values_set (values, "word", word);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/run_below.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (rows_count (rows) == 0 || rows_bool (rows, 0, "parent"))
    add_once (ids, id);
  for (int i = 0; i < rows_count (rows); i++)
    add_once (ids, rows_text (rows, i, "run_id"));
  return CODE_OK;
}

static ExitCode
add_id (Pg *pg, const char *given, const char *word, GPtrArray *ids, GError **error)
{
  g_autofree char *id = NULL;
  ExitCode code = run_choice_one (pg, given, &id, error);
  return code == CODE_OK ? add_with_runs (pg, id, word, ids, error) : code;
}

static ExitCode
add_matching (Pg *pg, const RunFilter *filter, const char *word, GPtrArray *ids, GError **error)
{
  gint64 since_us;
  const gboolean retry = g_str_equal (word, RUN_CHOICE_RETRY);
  if (retry && g_strcmp0 (filter->state, "held") == 0)
    return cli_usage (error, "--state: held runs are not retried; pruned approve lets one go");
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "retry", retry ? "true" : "false");
  pg_values_set (values, "job", filter->job);
  pg_values_set (values, "state", filter->state);
  pg_values_set (values, "error_class", filter->error_class);
  pg_values_set (values, "since", NULL);
  if (filter->since != NULL && cli_time (filter->since, &since_us, error))
    pg_values_time (values, "since", since_us);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/cli/runs/sql/runs_chosen.sql", values, error);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  for (int i = 0; i < rows_count (rows); i++)
    g_ptr_array_add (ids, g_strdup (rows_text (rows, i, "run_id")));
  return ids->len > 0 ? CODE_OK
                      : cli_fail (CODE_NOT_FOUND, error, "there is no such run to %s", word);
}

ExitCode
run_choice_find (Cli *cli, Pg *pg, const RunFilter *filter, const char *word, GPtrArray *ids,
                 GError **error)
{
  ExitCode code = CODE_OK;
  if (run_choice_is_filter (filter))
    return add_matching (pg, filter, word, ids, error);
  for (guint i = 0; code == CODE_OK && i < cli->n_arguments; i++)
    code = add_id (pg, cli->arguments[i], word, ids, error);
  return code;
}
