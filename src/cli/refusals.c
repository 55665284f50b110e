#include "cli/refusals.h"

#include "base/plural.h"
#include "engine/clock/processes.h"
#include "engine/view/view.h"

PgRows *
refusals_look (Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  if (!pg_begin (pg, error))
    return NULL;
  PgRows *rows = view_ask (pg, VIEW_REFUSED, values, error);
  pg_rollback (pg);
  return rows;
}

int
refusals_row (const PgRows *refusals, const char *job)
{
  for (int i = 0; i < rows_count (refusals); i++)
    if (g_str_equal (rows_text (refusals, i, "job"), job))
      return i;
  return -1;
}

char *
refusals_text (const PgRows *refusals, int row)
{
  return g_strdup_printf ("%s: %s", rows_text (refusals, row, "place"),
                          rows_text (refusals, row, "reason"));
}

json_t *
refusals_reason (const PgRows *refusals, int row)
{
  g_autofree char *text = refusals_text (refusals, row);
  return json_string (text);
}

/* This command says it already. */
static gboolean
is_said (Cli *cli, const PgRows *refusals, int row)
{
  const JobRefused *own = jobs_refused_find (cli->jobs, rows_text (refusals, row, "job"));
  return own != NULL && g_str_equal (own->place, rows_text (refusals, row, "place"))
         && g_str_equal (own->reason, rows_text (refusals, row, "reason"));
}

ExitCode
refusals_end (Cli *cli, const PgRows *refusals, GError **error)
{
  guint n = jobs_refused_count (cli->jobs);
  cli_say_refused (cli);
  for (int i = 0; refusals != NULL && i < rows_count (refusals); i++) {
    if (is_said (cli, refusals, i))
      continue;
    n++;
    log_error ("Job refused by a running process", "job", rows_text (refusals, i, "job"), "place",
               rows_text (refusals, i, "place"), "reason", rows_text (refusals, i, "reason"),
               "process", rows_text (refusals, i, "process"));
  }
  return n == 0
             ? CODE_OK
             : cli_fail (CODE_CONFIG, error, "%u %s refused", n, plural (n, "job is", "jobs are"));
}
