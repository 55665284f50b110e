#include "kafka/ours.h"

#include "kafka/client.h"

#include <string.h>

const KafkaOurs kafka_ours[] = {
  { "acks", OURS_ONLY, "-1", "what only one broker has can be lost (-1 is all)" },
  { "allow.auto.create.topics", OURS_ONLY, "false", "topics are made by `pruned topics`" },
  { "api.version.request", OURS_ONLY, "true",
    "without it messages have neither times nor headers" },
  { "api.version.request.timeout.ms", OURS_LEAST, "1000",
    "each connection begins with this question, which would have no answer" },
  { "auto.offset.reset", OURS_ONLY, "smallest",
    "where nothing is known, every message is read (smallest is earliest)" },
  { "connections.max.idle.ms", OURS_LEAST, "10000",
    "a connection that waits for an answer counts as idle, as when the group gives out partitions" },
  { "delivery.report.only.error", OURS_ONLY, "false", "each message is waited for" },
  { "enable.auto.commit", OURS_ONLY, "false", "an offset is committed when its rows are" },
  { "enable.auto.offset.store", OURS_ONLY, "false", "an offset is committed when its rows are" },
  { "enable.gapless.guarantee", OURS_ONLY, "false", "a message that fails would end the producer" },
  { "enable.idempotence", OURS_ONLY, "true", "a message is sent once and in order" },
  { "enable.partition.eof", OURS_ONLY, "true", "the end of a partition is waited for" },
  { "enabled_events", OURS_ONLY, "0", "reports would go where nobody reads them" },
  { "fetch.error.backoff.ms", OURS_MOST, "10000",
    "after an error a partition is not read for so long" },
  { "fetch.queue.backoff.ms", OURS_MOST, "1000",
    "a partition with many messages is not read for so long" },
  { "fetch.wait.max.ms", OURS_MOST, "5000",
    "what is asked behind a fetch waits for it, and so does a partition that is assigned" },
  { "group.protocol", OURS_ONLY, "classic", "partitions are taken and given back all at once" },
  { "internal.termination.signal", OURS_ONLY, "0", "the end of a client would be the process's" },
  { "isolation.level", OURS_ONLY, "read_committed",
    "a message of a transaction that was aborted was never sent" },
  { "log.queue", OURS_ONLY, "false", "nobody would read the library's messages" },
  { "message.max.bytes", OURS_LEAST, "100000",
    "messages of a run are larger; topics bound what they take themselves" },
  { "message.timeout.ms", OURS_LEAST, "1000",
    "a message that a broker takes later would be given up" },
  { "metadata.max.age.ms", OURS_LEAST, "10000",
    "topics would be forgotten before they are asked for again" },
  { "offset.store.method", OURS_ONLY, "broker", "offsets are in Kafka and in PostgreSQL" },
  { "partition.assignment.strategy", OURS_NEVER, "cooperative",
    "partitions are taken and given back all at once; without the key it is roundrobin" },
  { "queue.buffering.max.kbytes", OURS_LEAST, "1024", "a message that has no room is never sent" },
  { "queue.buffering.max.messages", OURS_LEAST, "100", "what a step has to send has no room" },
  { "queue.buffering.max.ms", OURS_MOST, "1000", "each step waits so long for its messages" },
  { "receive.message.max.bytes", OURS_LEAST, "10000000",
    "a larger answer of a broker ends the connection, again and again" },
  { "reconnect.backoff.max.ms", OURS_MOST, "60000",
    "a broker that is back is not noticed for so long" },
  { "request.timeout.ms", OURS_LEAST, "1000",
    "a message that replicas take later is sent again and again" },
  { "retry.backoff.ms", OURS_MOST, "10000", "what is to be sent again waits so long" },
  { "socket.max.fails", OURS_LEAST, "1", "a connection over which nothing comes is never left" },
  { "socket.timeout.ms", OURS_LEAST, "1000", "no request that takes a while is ever answered" },
  { "test.mock.num.brokers", OURS_ONLY, "0",
    "each process would have a broker of its own, and none the one that is named" },
  { "topic.blacklist", OURS_UNSET, "", "its topics would not be seen" },
  { "topic.metadata.refresh.interval.ms", OURS_NEVER, "-1",
    "topics and partitions that come later would not be seen" },
  { "transactional.id", OURS_UNSET, "",
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
    if (ours->rule == OURS_ONLY)
      (void)rd_kafka_conf_set (conf, ours->name, ours->value, why, sizeof why);
  return conf;
}

static gboolean
breaks (const KafkaOurs *ours, const char *is)
{
  switch (ours->rule) {
  case OURS_ONLY:
  case OURS_UNSET:
    return TRUE;
  case OURS_NEVER:
    return strstr (is, ours->value) != NULL;
  case OURS_LEAST:
    return g_ascii_strtoll (is, NULL, 10) < g_ascii_strtoll (ours->value, NULL, 10);
  case OURS_MOST:
    return g_ascii_strtoll (is, NULL, 10) > g_ascii_strtoll (ours->value, NULL, 10);
  }
  g_assert_not_reached ();
}

static char *
refusal_of (const KafkaOurs *ours, const rd_kafka_conf_t *before, const rd_kafka_conf_t *conf,
            const char *name)
{
  char was[512] = "", is[512] = "";
  gboolean known = get (conf, ours->name, is, sizeof is);
  (void)!get (before, ours->name, was, sizeof was);
  if (!known || g_str_equal (was, is) || !breaks (ours, is))
    return NULL;
  const char *other = g_str_equal (name, ours->name) ? "" : ours->name;
  if (ours->rule == OURS_NEVER || ours->rule == OURS_UNSET)
    return g_strdup_printf ("it is pruned's and cannot be %s: %s; remove it",
                            ours->rule == OURS_NEVER ? is : "set", ours->why);
  return g_strdup_printf ("it is %s, but %s%s works%s%s: %s; remove it", is,
                          ours->rule == OURS_ONLY    ? "only "
                          : ours->rule == OURS_LEAST ? "at least "
                                                     : "at most ",
                          ours->value, *other != '\0' ? " for " : "", other, ours->why);
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
