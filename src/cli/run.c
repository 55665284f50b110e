#include "engine/engine.h"
#include "web/pages.h"

#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "engine/job/by_tables.h"
#include "engine/job/sentence/complete.h"
#include "engine/ledger/keeping.h"
#include "engine/notices/notice_address.h"
#include "engine/notices/notices.h"
#include "engine/outbox/remember.h"
#include "engine/outbox/wire.h"

#include <unistd.h>

static gboolean embedded_kafka, until_idle;

const GOptionEntry run_options[] = { { "embedded-kafka", 0, 0, G_OPTION_ARG_NONE, &embedded_kafka,
                                       "use an embedded Kafka, in memory, to try it out", NULL },
                                     { "until-idle", 0, 0, G_OPTION_ARG_NONE, &until_idle,
                                       "end when all messages are read and no work is left", NULL },
                                     { NULL } };

/* A wrong setting is an error of the configuration; a broker that is down is not. */
static gboolean
check_kafka (Cli *cli, GError **error)
{
  g_auto (GStrv) settings = embedded_kafka ? NULL : cli_kafka_settings (cli, error);
  return (embedded_kafka || settings != NULL) && cli_kafka_consumer_check (cli, error);
}

typedef struct {
  Cli *cli;
  Pg *pg;
} Reload;

/* A JobsCheck. The jobs have no numbers and no topics yet. */
static void
fit (const GPtrArray *jobs, GError **errors, gpointer data)
{
  const Reload *reload = data;
  check_load (reload->cli, reload->pg, jobs, TRUE, errors);
  for (guint i = 0; i < jobs->len; i++)
    job_complete_forget (jobs->pdata[i]);
}

static Jobs *
reload_jobs (gpointer data, const Jobs *now, Pg *pg, GError **error)
{
  Reload reload = { data, pg };
  return cli_reload_jobs (data, now, pg, fit, &reload, error);
}

static Config *
reread (gpointer data, Jobs *jobs, GError **error)
{
  return cli_reread (data, jobs, error);
}

static void
took (gpointer data, Jobs *jobs)
{
  ((Cli *)data)->jobs = jobs;
}

ExitCode
command_run (Cli *cli, GError **error)
{
  if (!check_loaded (cli, engine_begin, error))
    return CODE_KAFKA;
  if (!check_kafka (cli, error) || !wire_begin (cli->config, error)
      || !keeping_remembers (cli->config, cli->jobs, error) || !remember_begin (cli->config, error)
      || !notice_address_check (cli->config, error))
    return CODE_CONFIG;
  g_autofree char *absent = cli->absent != NULL ? by_tables_words (cli->jobs, cli->absent) : NULL;
  if (absent != NULL)
    log_info ("Built-in jobs are left out: the database lacks their tables", "jobs", absent);
  cli_say_refused (cli);
  jobs_remarks_log (cli->jobs);
  gboolean is_text = g_str_equal (config_text (cli->config, "log", "format"), "text");
  EngineOptions options = { .config = cli->config,
                            .jobs = cli->jobs,
                            .embedded_kafka = embedded_kafka,
                            .until_idle = until_idle,
                            .progress = is_text && isatty (STDERR_FILENO),
                            .reload_jobs = reload_jobs,
                            .reread = reread,
                            .took = took,
                            .data = cli };
  if (notice_address_is_open (cli->config))
    log_warning ("Notices go unencrypted to another machine", "remedy",
                 "[notify] url = https://...");
  GError *cause = NULL;
  const ActCommand command = { cli->file, cli->overrides };
  Pages *pages = pages_start (cli->config, cli->jobs, &command, &cause);
  if (cause != NULL) {
    const ExitCode code = cause->code == PRUNED_OUTAGE ? CODE_KAFKA : CODE_CONFIG;
    g_propagate_error (error, cause);
    return code;
  }
  Notices *notices = notices_start (cli->config, &cause);
  if (cause != NULL)
    g_propagate_error (error, cause);
  ExitCode code = cause == NULL ? (ExitCode)engine_run (&options, error) : CODE_KAFKA;
  notices_stop (notices);
  pages_stop (pages);
  return code;
}
