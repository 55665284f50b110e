#include "avro/message.h"
#include "base/clock.h"
#include "cli/bench/bench.h"
#include "engine/service/envelope.h"

#define PART "Kafka"
#define TIMEOUT_MS 15000
#define SINGLE 100
#define BATCHES 40
#define BATCH 500

typedef struct {
  Cli *cli;
  char **settings;
  char *topic;
} Bench;

/* N messages like the daemon's, with all headers. */
static GPtrArray *
messages_new (const Bench *bench, guint n, GError **error)
{
  g_autoptr (GPtrArray) messages
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  const char *prefix = config_text (bench->cli->config, "topics", "prefix");
  for (guint i = 0; i < n; i++) {
    KafkaMessage *message = kafka_message_new (bench->topic, 0);
    g_ptr_array_add (messages, message);
    g_autoptr (GByteArray) value = g_byte_array_new ();
    if (!message_encode_texts (BENCH_WORK_TYPE, BENCH_WORK, value, error))
      return NULL;
    kafka_message_set_key (message, BENCH_WORK[0]);
    kafka_message_take_value (message, g_steal_pointer (&value));
    envelope_add (message, prefix, BENCH_WORK_TYPE, BENCH_WORK[0], clock_now_us ());
  }
  return g_steal_pointer (&messages);
}

static gboolean
publish (const Bench *bench, KafkaProducer *producer, guint n, GError **error)
{
  g_autoptr (GPtrArray) messages = messages_new (bench, n, error);
  return messages != NULL && kafka_publish (producer, messages, TIMEOUT_MS, bench_stop (), error);
}

static gboolean
one_by_one (const Bench *bench, KafkaProducer *producer, GError **error)
{
  g_autoptr (GArray) times_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (int i = 0; i < SINGLE; i++) {
    gint64 began_us = clock_monotonic_us ();
    if (!publish (bench, producer, 1, error))
      return FALSE;
    gint64 took_us = clock_monotonic_us () - began_us;
    g_array_append_val (times_us, took_us);
  }
  bench_median (bench->cli, PART, "sent and acknowledged", times_us);
  return TRUE;
}

static gboolean
in_batches (const Bench *bench, KafkaProducer *producer, GError **error)
{
  gint64 began_us = clock_monotonic_us ();
  for (int i = 0; i < BATCHES; i++)
    if (!publish (bench, producer, BATCH, error))
      return FALSE;
  bench_rate (bench->cli, PART, "sent and acknowledged in batches of 500", BATCHES * BATCH,
              "messages", began_us);
  return TRUE;
}

static gboolean
count_message (G_GNUC_UNUSED const KafkaMessage *message, gpointer data)
{
  ++*(guint *)data;
  return !bench_is_stopped ();
}

static gboolean
read_back (const Bench *bench, GError **error)
{
  guint n = 0;
  gint64 began_us = clock_monotonic_us ();
  if (!kafka_read_topic ((const char *const *)bench->settings, bench->topic, -1, TIMEOUT_MS,
                         &(KafkaVisitor){ .visit = count_message, .data = &n }, error))
    return FALSE;
  bench_rate (bench->cli, PART, "read back, connection included", n, "messages", began_us);
  return TRUE;
}

static gboolean
measure (const Bench *bench, GError **error)
{
  g_autoptr (KafkaProducer) producer
      = kafka_producer_new ((const char *const *)bench->settings, error);
  return producer != NULL && publish (bench, producer, 1, error) /* the first message connects */
         && one_by_one (bench, producer, error) && in_batches (bench, producer, error)
         && read_back (bench, error);
}

/* Removes the topic whether or not the measurement succeeded. */
static ExitCode
with_topic (const Bench *bench, KafkaAdmin *admin, GError **error)
{
  static const char *const configs[] = { "retention.ms", "3600000", NULL };
  KafkaNewTopic topic = { bench->topic, 1, configs };
  g_autoptr (GError) left = NULL;
  if (!kafka_admin_create (admin, &topic, 1, error))
    return CODE_KAFKA;
  gboolean ok = measure (bench, error);
  if (kafka_admin_remove (admin, bench->topic, &left))
    return ok ? CODE_OK : CODE_KAFKA;
  if (!ok)
    return CODE_KAFKA;
  return cli_fail (CODE_KAFKA, error, "topic %s could not be removed: %s", bench->topic,
                   left->message);
}

ExitCode
bench_kafka (Cli *cli, GError **error)
{
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  g_autoptr (KafkaAdmin) admin = NULL;
  if (settings == NULL || (admin = kafka_admin_new ((const char *const *)settings, error)) == NULL)
    return CODE_CONFIG;
  g_autofree char *id = g_uuid_string_random (), *name = g_strconcat ("bench-", id, NULL);
  g_autofree char *topic = cli_topic (cli, name);
  Bench bench = { cli, settings, topic };
  return with_topic (&bench, admin, error);
}
