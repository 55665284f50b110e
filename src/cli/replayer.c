#include "cli/replayer.h"

#include "avro/registry.h"
#include "engine/startup.h"

/* Looks up the partitions of the work topics before anything is sent. */
static ExitCode
connect_kafka (Replayer *replayer, const Config *config, gboolean dry, GError **error)
{
  Service *service = &replayer->service;
  if (!startup_topics (service, error))
    return CODE_KAFKA;
  replayer->producer = kafka_producer_new (service->kafka_settings, error);
  if (replayer->producer == NULL)
    return CODE_CONFIG;
  replayer->publisher = publisher_new (replayer->producer, service->prefix);
  replayer->replay.publisher = dry ? NULL : replayer->publisher;
  return registry_start (config, error) ? CODE_OK : CODE_KAFKA;
}

ExitCode
replayer_open (Replayer *replayer, Cli *cli, Pg *pg, char **settings, gboolean dry, GError **error)
{
  replayer->service = (Service){ .config = cli->config,
                                 .prefix = config_text (cli->config, "topics", "prefix"),
                                 .kafka_settings = (const char **)settings };
  replayer->ticks = cli_topic (cli, "ticks");
  replayer->announced = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Replay *replay = &replayer->replay;
  replay->pg = pg;
  replay->ticks = replayer->ticks;
  replay->announced = replayer->announced;
  replay->admission
      = (Admission){ .jobs = cli->jobs,
                     .keep_us = config_int (cli->config, "runs", "keep_days") * G_TIME_SPAN_DAY };
  return connect_kafka (replayer, cli->config, dry, error);
}

void
replayer_close (Replayer *replayer)
{
  registry_stop ();
  g_clear_pointer (&replayer->publisher, publisher_free);
  g_clear_pointer (&replayer->producer, kafka_producer_free);
  g_clear_pointer (&replayer->announced, g_hash_table_unref);
  g_clear_pointer (&replayer->ticks, g_free);
  g_clear_pointer (&replayer->service.cluster_id, g_free);
  g_clear_pointer (&replayer->service.clock_topic, g_free);
}
