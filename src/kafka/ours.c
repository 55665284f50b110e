#include "kafka/ours.h"

#include "kafka/client.h"

#include <string.h>

const KafkaOurs kafka_ours[] = {
  { "acks", "-1", NULL, "what only one broker has can be lost (-1 is all)" },
  { "allow.auto.create.topics", "false", NULL, "topics are made by `pruned topics`" },
  { "api.version.request", "true", NULL, "without it messages have neither times nor headers" },
  { "auto.offset.reset", "smallest", NULL,
    "where nothing is known, every message is read (smallest is earliest)" },
  { "delivery.report.only.error", "false", NULL, "each message is waited for" },
  { "enable.auto.commit", "false", NULL, "an offset is committed when its rows are" },
  { "enable.auto.offset.store", "false", NULL, "an offset is committed when its rows are" },
  { "enable.gapless.guarantee", "false", NULL, "a message that fails would end the producer" },
  { "enable.idempotence", "true", NULL, "a message is sent once and in order" },
  { "enable.partition.eof", "true", NULL, "the end of a partition is waited for" },
  { "enabled_events", "0", NULL, "reports would go where nobody reads them" },
  { "group.protocol", "classic", NULL, "partitions are taken and given back all at once" },
  { "internal.termination.signal", "0", NULL, "the end of a client would be the process's" },
  { "isolation.level", "read_committed", NULL,
    "a message of a transaction that was aborted was never sent" },
  { "log.queue", "false", NULL, "nobody would read the library's messages" },
  { "offset.store.method", "broker", NULL, "offsets are in Kafka and in PostgreSQL" },
  { "partition.assignment.strategy", NULL, "cooperative",
    "partitions are taken and given back all at once; without the key it is roundrobin" },
  { "test.mock.num.brokers", "0", NULL,
    "each process would have a broker of its own, and none the one that is named" },
  { "topic.blacklist", NULL, NULL, "its topics would not be seen" },
  { "topic.metadata.refresh.interval.ms", NULL, "-1",
    "topics and partitions that come later would not be seen" },
  { "transactional.id", NULL, NULL,
    "messages are sent without transactions: with it none would be" },
  { NULL }
};

static gboolean
get (const rd_kafka_conf_t *conf, const char *name, char *value, gsize size)
{
  return rd_kafka_conf_get (conf, name, value, &size) == RD_KAFKA_CONF_OK;
}

/* With every setting of the table as it has to be, but for those that this library does not know.
 */
static rd_kafka_conf_t *
conf_as_it_is (void)
{
  char why[512];
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  for (const KafkaOurs *ours = kafka_ours; ours->name != NULL; ours++)
    if (ours->only != NULL)
      (void)rd_kafka_conf_set (conf, ours->name, ours->only, why, sizeof why);
  return conf;
}

static char *
refusal_of (const KafkaOurs *ours, const rd_kafka_conf_t *before, const rd_kafka_conf_t *conf,
            const char *name)
{
  char was[512] = "", is[512] = "";
  gboolean known = get (conf, ours->name, is, sizeof is);
  (void)!get (before, ours->name, was, sizeof was);
  if (!known || g_str_equal (was, is) || (ours->never != NULL && strstr (is, ours->never) == NULL))
    return NULL;
  const char *other = g_str_equal (name, ours->name) ? "" : ours->name;
  if (ours->only != NULL)
    return g_strdup_printf ("it is %s, but only %s works%s%s: %s; remove it", is, was,
                            *other != '\0' ? " for " : "", other, ours->why);
  return g_strdup_printf ("it is pruned's and cannot be %s: %s; remove it",
                          ours->never != NULL ? is : "set", ours->why);
}

char *
kafka_ours_refusal (const char *name, const char *value)
{
  char why[512];
  char *refusal = NULL;
  rd_kafka_conf_t *before = conf_as_it_is (), *conf = rd_kafka_conf_dup (before);
  if (rd_kafka_conf_set (conf, name, value, why, sizeof why) == RD_KAFKA_CONF_OK)
    for (const KafkaOurs *ours = kafka_ours; ours->name != NULL && refusal == NULL; ours++)
      refusal = refusal_of (ours, before, conf, name);
  rd_kafka_conf_destroy (conf);
  rd_kafka_conf_destroy (before);
  return refusal;
}
