#include "cli/commands.h"

#include "engine/engine.h"
#include "web/pages.h"

#include <unistd.h>

static gboolean embedded_kafka, until_idle;

const GOptionEntry run_options[] = {
  { "embedded-kafka", 0, 0, G_OPTION_ARG_NONE, &embedded_kafka, "bring a Kafka of its own, in memory: to try it out", NULL },
  { "until-idle", 0, 0, G_OPTION_ARG_NONE, &until_idle, "end when everything is read and nothing is left to do", NULL },
  { NULL }
};

ExitCode
command_run (Cli *cli, GError **error)
{
  gboolean json_lines = g_str_equal (config_text (cli->config, "log", "format"), "json");
  LogLevel level = LOG_INFO;
  (void)log_level_parse (config_text (cli->config, "log", "level"), &level); /* checked by config_load */
  EngineOptions options = { .config = cli->config, .jobs = cli->jobs, .embedded_kafka = embedded_kafka,
                            .until_idle = until_idle,
                            .progress = isatty (STDERR_FILENO) && !json_lines && level > LOG_INFO };
  log_setup (level, json_lines);
  GError *cause = NULL;
  Pages *pages = pages_start (cli->config, cli->jobs, &cause);
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return CODE_CONFIG;
    }
  ExitCode code = (ExitCode)engine_run (&options, error);
  pages_stop (pages);
  return code;
}
