#include "kafka/consumer_conf.h"

#include "kafka/consumer.h"
#include "kafka/fetcher.h"
#include "kafka/inspect.h"
#include "kafka/settings.h"
#include "kafka/writer.h"

rd_kafka_conf_t *
consumer_conf_new (const char *const *settings, const char *group, guint n_partitions,
                   GError **error)
{
  static const char *const fixed[] = { "enable.auto.commit",
                                       "false",
                                       "enable.auto.offset.store",
                                       "false",
                                       "enable.partition.eof",
                                       "true",
                                       NULL };
  FetcherLimits limits = fetcher_limits (n_partitions);
  const char *const wanted[]
      = { "group.id", group, "partition.assignment.strategy", "roundrobin",
          /* Lets `pruned doctor` tell members of other versions apart. */
          "client.id", KAFKA_MEMBER_OF PRUNED_VERSION, "auto.offset.reset", "earliest",
          /* The longest time that a dead process keeps its partitions. */
          "session.timeout.ms", "6000", "heartbeat.interval.ms", "2000", "allow.auto.create.topics",
          "false", "queued.min.messages", limits.messages, "queued.max.messages.kbytes",
          limits.kbytes, "fetch.message.max.bytes", limits.fetch_bytes, "fetch.max.bytes",
          "1048576", "fetch.wait.max.ms", limits.wait_ms, "topic.metadata.refresh.interval.ms",
          "5000", "metadata.max.age.ms", "15000", NULL };
  const char *own = kafka_setting (settings, "group.id");
  if (own == NULL || *own != '\0')
    return kafka_conf_new (settings, wanted, fixed, error);
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
               "setting kafka.group.id: it is empty; without it the group is %s", group);
  return NULL;
}

static gint64
number (const rd_kafka_conf_t *conf, const char *name)
{
  char value[32] = "";
  gsize size = sizeof value;
  return rd_kafka_conf_get (conf, name, value, &size) == RD_KAFKA_CONF_OK
             ? g_ascii_strtoll (value, NULL, 10)
             : 0;
}

/* Makes clients: librdkafka compares settings with each other only then, all but these two. */
gboolean
kafka_consumer_check (const char *const *settings, const char *group, GError **error)
{
  rd_kafka_conf_t *conf = consumer_conf_new (settings, group, 1, error);
  if (conf == NULL)
    return FALSE;
  gint64 beat_ms = number (conf, "heartbeat.interval.ms"),
         session_ms = number (conf, "session.timeout.ms");
  rd_kafka_t *rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  if (rk == NULL)
    return FALSE;
  rd_kafka_destroy_flags (rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  if (beat_ms < session_ms)
    return writer_check (settings, error);
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
               "setting kafka.heartbeat.interval.ms: it is %" G_GINT64_FORMAT
               ", but session.timeout.ms is %" G_GINT64_FORMAT
               ": Kafka would take the partitions away before each heartbeat",
               beat_ms, session_ms);
  return FALSE;
}
