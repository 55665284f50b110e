#include "engine/view/report/report.h"

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/night_look.h"

static char *since, *format;

const GOptionEntry report_options[]
    = { { "since", 0, 0, G_OPTION_ARG_STRING, &since,
          "from the beginning of that day (UTC) on: -7d, 2026-11-21, ... (default -1d)", "T" },
        { "format", 0, 0, G_OPTION_ARG_STRING, &format, "text (default), html, csv or json", "F" },
        { NULL } };

const char report_more[]
    = "By job what went, changed, was kept and why, and failed; by table what went and changed; which rows are past their deadline, and what keeps them; who approved, restored, held and "
      "released what, and which rules and settings changed. Days are those of T, as of `pruned night`, and the numbers are the same; "
      "what people did is counted by its own time. It is one file that needs no other.";

static char *
written (const Report *report, const char *as)
{
  if (g_str_equal (as, "html"))
    return report_as_html (report);
  if (g_str_equal (as, "csv"))
    return report_as_csv (report);
  if (g_str_equal (as, "text"))
    return report_as_text (report);
  g_autoptr (json_t) object = report_as_json (report);
  return json_text (object);
}

static ExitCode
show (Cli *cli, const Report *report, const char *as)
{
  if (output_is_json (cli->out)) {
    g_autoptr (json_t) object = report_as_json (report);
    output_object (cli->out, object);
    return CODE_OK;
  }
  g_autofree char *text = written (report, as);
  output_say (cli->out, "%s", g_strchomp (text));
  return CODE_OK;
}

static gboolean
look (Report *report, Cli *cli, Pg *pg, gint64 since_us, GError **error)
{
  g_autoptr (PgRows) overdue = night_look (cli, pg, NULL, error);
  return overdue != NULL && pg_begin_read_only (pg, error)
         && pg_exec (pg, "SET LOCAL statement_timeout = 0", error)
         && report_look (report, pg, cli->jobs, overdue, since_us, error);
}

ExitCode
command_report (Cli *cli, GError **error)
{
  static const char *const forms[] = { "text", "html", "csv", "json", NULL };
  const char *as = format != NULL ? format : "text";
  gint64 since_us;
  if (!g_strv_contains (forms, as))
    return cli_usage (error, "--format: expected text, html, csv or json, not '%s'", as);
  if (!cli_time (since != NULL ? since : "-1d", &since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  g_autoptr (Pg) pg = cli_pg_patient (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_auto (Report) report = { 0 };
  const gboolean ok = look (&report, cli, pg, since_us, error);
  pg_rollback (pg);
  return ok ? show (cli, &report, as) : cli_pg_failed (pg, error);
}
