#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/refusals.h"

static const Column COLUMNS[] = { { "key" }, { "value" }, { "origin" }, { NULL } };

static void
show (const char *key, const char *value, const char *origin, gpointer data)
{
  output_row (data, json_string (key), json_string (value), json_string (origin));
}

/* Only a check against the catalogue finds some faults; processes note what it found. Without a
 * database nothing is known of them. */
static PgRows *
refused_by_processes (Cli *cli)
{
  gboolean own = FALSE;
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    own |= !jobs_at (cli->jobs, i)->built_in;
  if (!own || *config_text (cli->config, "postgres", "url") == '\0')
    return NULL;
  g_autoptr (Pg) pg = cli_pg_bare (cli, NULL);
  return pg != NULL ? refusals_look (pg, NULL) : NULL;
}

static gboolean example;

const GOptionEntry config_options[]
    = { { "example", 0, 0, G_OPTION_ARG_NONE, &example,
          "print a configuration file with every key explained", NULL },
        { NULL } };

ExitCode
command_config (Cli *cli, GError **error)
{
  if (example) {
    g_autofree char *text = config_example (jobs_names (cli->jobs), jobs_default, cli->jobs);
    g_autoptr (json_t) object = json_pack ("{s:s}", "example", text);
    output_object (cli->out, object);
    output_say (cli->out, "%s", g_strchomp (text));
    return CODE_OK;
  }
  output_table (cli->out, COLUMNS);
  config_each (cli->config, show, cli->out);
  output_end (cli->out);
  if (g_str_equal (config_text (cli->config, "run", "mode"), "recorded"))
    output_hint (cli->out, "# run.mode recorded: `pruned migrate` has recorded it in the database;"
                           " `pruned jobs` shows the mode in force");
  g_autoptr (PgRows) refusals = refused_by_processes (cli);
  return refusals_end (cli, refusals, error);
}
