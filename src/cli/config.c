#include "cli/cli.h"
#include "cli/commands.h"

static const Column COLUMNS[] = { { "key" }, { "value" }, { "origin" }, { NULL } };

static void
show (const char *key, const char *value, const char *origin, gpointer data)
{
  output_row (data, json_string (key), json_string (value), json_string (origin));
}

ExitCode
command_config (Cli *cli, GError **error)
{
  output_table (cli->out, COLUMNS);
  config_each (cli->config, show, cli->out);
  return CODE_OK;
}
