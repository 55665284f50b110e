#include "engine/step/plan.h"

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/commands.h"

static char *at;

const GOptionEntry plan_options[]
    = { { "at", 0, 0, G_OPTION_ARG_STRING, &at,
          "the time T that cut-offs are computed from (default: now)", "TIME" },
        { NULL } };

static const Column COLUMNS[] = { { "table" }, { "key" }, { "action" }, { "reason" }, { NULL } };

typedef struct {
  Output *out;
  json_t *summary; /* action -> number of lines */
} Plan;

static void
show (const char *table, const char *key, const char *action, const char *reason, gpointer data)
{
  Plan *plan = data;
  json_int_t n = json_integer_value (json_object_get (plan->summary, action));
  json_object_set_new (plan->summary, action, json_integer (n + 1));
  output_row (plan->out, json_string (table), json_string (key), json_string (action),
              json_string (reason));
}

static void
show_summary (Output *out, const json_t *summary)
{
  const char *action;
  json_t *n;
  g_autoptr (json_t) last = json_pack ("{s:O}", "summary", summary);
  output_end (out);
  output_object (out, last);
  output_say (out, "%s", "");
  if (json_object_size (summary) == 0)
    output_say (out, "nothing to do");
  json_object_foreach ((json_t *)summary, action, n)
    output_say (out, "%s: %" JSON_INTEGER_FORMAT, action, json_integer_value (n));
}

static gboolean
parse_at (gint64 *at_us, GError **error)
{
  *at_us = clock_now_us ();
  if (at == NULL || cli_time (at, at_us, error))
    return TRUE;
  g_prefix_error (error, "--at: ");
  return FALSE;
}

ExitCode
command_plan (Cli *cli, GError **error)
{
  gint64 at_us;
  const Job *job = cli_job (cli, cli->arguments[0], error);
  if (job == NULL)
    return CODE_NOT_FOUND;
  if (job->page == NULL && (job->code == NULL || job->code->plan == NULL))
    return cli_usage (error,
                      "job %s has no plan: it does what another job has decided; plan that one",
                      job->name);
  if (!parse_at (&at_us, error))
    return CODE_USAGE;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (json_t) summary = json_object (), args = json_object ();
  Plan plan = { cli->out, summary };
  output_table (cli->out, COLUMNS);
  if (!plan_run (pg, job, at_us, args, show, &plan, error))
    return cli_pg_failed (pg, error);
  show_summary (cli->out, summary);
  return CODE_OK;
}
