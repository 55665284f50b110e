#include "base/clock.h"
#include "base/plural.h"
#include "cli/dead/dead_letters.h"
#include "cli/doctor/doctor.h"
#include "engine/outbox/owner.h"
#include "engine/outbox/topics.h"
#include "kafka/faults.h"
#include "kafka/inspect.h"
#include "kafka/library.h"
#include "kafka/producer.h"

#define TIMEOUT_MS 10000
#define COUNT_WITHIN_MS                                                                            \
  30000 /* the metadata can name a leader shortly before that broker serves the partition */
#define ANSWER_MS 15000 /* a way of a second: connection, producer id and the message itself */
#define DAY_MS G_GINT64_CONSTANT (86400000)

static const char *const *
settings_of (const Doctor *doctor)
{
  return (const char *const *)doctor->kafka;
}

/* "": no broker is named. */
static const char *
bootstrap (const Doctor *doctor)
{
  const char *servers = "";
  for (char **pair = doctor->kafka; pair != NULL && *pair != NULL; pair += 2)
    if (g_str_equal (pair[0], "bootstrap.servers") || g_str_equal (pair[0], "metadata.broker.list"))
      servers = pair[1];
  return servers;
}

char *
doctor_alter_topic (const Doctor *doctor, const char *topic, const char *config)
{
  return g_strdup_printf (
      "kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s"
      " --add-config %s",
      bootstrap (doctor), topic, config);
}

char *
doctor_group_command (const Doctor *doctor, const char *group)
{
  return g_strdup_printf (
      "kafka-consumer-groups.sh --bootstrap-server %s --describe --members --group %s",
      bootstrap (doctor), group);
}

char *
doctor_topic_command (const Doctor *doctor, const char *what, const char *topic)
{
  return g_strdup_printf ("kafka-topics.sh --bootstrap-server %s --%s --topic %s",
                          bootstrap (doctor), what, topic);
}

static void
say_silent (Doctor *doctor, const char *check, const char *topic, const char *why)
{
  g_autofree char *remedy = doctor_topic_command (doctor, "describe", topic);
  doctor_error (doctor, CODE_NOT_FOUND, check, remedy, "topic %s does not answer: %s", topic, why);
}

static void
check_library (Doctor *doctor)
{
  guint next = 0, n = 0;
  for (const KafkaFault *fault; (fault = kafka_fault_next (settings_of (doctor), &next)) != NULL;
       n++)
    doctor_warn (doctor, "librdkafka", fault->remedy, "version %s: %s", kafka_library_version (),
                 fault->what);
  if (n == 0)
    doctor_ok (doctor, "librdkafka", "version %s", kafka_library_version ());
}

static void
check_topics (Doctor *doctor, const GArray *wanted, const KafkaTopic *found)
{
  gboolean all = TRUE;
  for (guint i = 0; i < topics_needed (wanted); i++) {
    gint32 least = g_array_index (wanted, WantedTopic, i).partitions;
    if (found[i].trouble == NULL && found[i].partitions >= least)
      continue;
    all = FALSE;
    if (found[i].denied)
      continue; /* a finding of doctor_acl */
    if (found[i].trouble != NULL)
      say_silent (doctor, "topics", found[i].name, found[i].trouble);
    else if (found[i].partitions < 0)
      doctor_error (doctor, CODE_NOT_FOUND, "topics", "pruned topics --apply",
                    "there is no topic %s", found[i].name);
    else
      doctor_error (doctor, CODE_NOT_FOUND, "topics", "pruned topics --apply",
                    "topic %s has %d %s instead of %d, which limits the runs at a time",
                    found[i].name, found[i].partitions,
                    plural (found[i].partitions, "partition", "partitions"), least);
  }
  if (all)
    doctor_ok (doctor, "topics", "all %u exist, with a partition for every slot",
               topics_needed (wanted));
}

/* NULL: it is missing or does not answer, which is a finding of check_topics. */
static const KafkaTopic *
find_topic (const KafkaTopic *found, guint n_found, const char *topic)
{
  for (guint i = 0; i < n_found; i++)
    if (g_str_equal (found[i].name, topic))
      return found[i].partitions >= 0 && found[i].trouble == NULL ? &found[i] : NULL;
  return NULL;
}

/* Compares the broker's timestamp of a message with the middle of the time that sending it took.
 * The first message only opens the connection. *SAID: the broker sets timestamps. */
static gboolean
ask_time (const Doctor *doctor, const char *topic, gboolean *said, gint64 *off_us,
          gint64 *unsure_us, GError **error)
{
  g_autoptr (KafkaProducer) producer = kafka_producer_new (settings_of (doctor), error);
  for (int i = 0; producer != NULL && i < 2; i++) {
    g_autoptr (GPtrArray) messages
        = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
    KafkaMessage *message = owner_message (topic, NULL, FALSE);
    g_ptr_array_add (messages, message);
    gint64 before_us = clock_now_us ();
    if (!kafka_publish (producer, messages, ANSWER_MS, NULL, error))
      return FALSE;
    gint64 after_us = clock_now_us ();
    *said = message->appended_ms > 0;
    *off_us = message->appended_ms * 1000 - (before_us + after_us) / 2;
    *unsure_us = (after_us - before_us) / 2 + 1000;
  }
  return producer != NULL;
}

static void
say_time (Doctor *doctor, gint64 off_us, gint64 unsure_us)
{
  double seconds = (double)ABS (off_us) / G_USEC_PER_SEC;
  if (ABS (off_us) <= doctor_skew_us (doctor) + unsure_us)
    doctor_ok (doctor, "Kafka's clock", "within %.1f s of this machine's",
               (double)doctor_skew_us (doctor) / G_USEC_PER_SEC);
  else if (off_us < 0)
    doctor_warn (
        doctor, "Kafka's clock", "timedatectl set-ntp true",
        "Kafka's clock is %.1f s behind this machine's: cron ticks wait until it reaches their time",
        seconds);
  else
    doctor_warn (doctor, "Kafka's clock", "timedatectl set-ntp true",
                 "Kafka's clock is %.1f s ahead of this machine's", seconds);
}

#define TWO_CLOCKS "only the clocks of this machine and the database decide whether a tick is due"

static void
compare_clock (Doctor *doctor, const KafkaTopic *topic)
{
  g_autoptr (GError) error = NULL;
  gboolean said = FALSE;
  gint64 off_us = 0, unsure_us = 0;
  g_autofree char *look = doctor_topic_command (doctor, "describe", topic->name);
  if (topic->trouble != NULL)
    doctor_warn (doctor, "Kafka's clock", look, "topic %s does not answer: %s; " TWO_CLOCKS,
                 topic->name, topic->trouble);
  else if (topic->partitions < 0)
    doctor_warn (doctor, "Kafka's clock", "pruned topics --apply",
                 "there is no topic %s: " TWO_CLOCKS, topic->name);
  else if (!ask_time (doctor, topic->name, &said, &off_us, &unsure_us, &error))
    doctor_warn (doctor, "Kafka's clock", look, "%s; " TWO_CLOCKS, error->message);
  else if (!said)
    doctor_warn (doctor, "Kafka's clock", "pruned topics --apply",
                 "topic %s does not take its timestamps from the broker: " TWO_CLOCKS, topic->name);
  else
    say_time (doctor, off_us, unsure_us);
}

/* Warns if a topic keeps messages longer than the database keeps what belongs to them: the run of a
 * tick, the verdict of a dead letter. */
static void
check_retention (Doctor *doctor, const char *topic, gint64 most_days, const char *then)
{
  g_autoptr (GError) error = NULL;
  gint64 keep_days = config_int (doctor->cli->config, "runs", "keep_days"), retention_ms = 0;
  g_autoptr (GPtrArray) topics = g_ptr_array_new ();
  g_ptr_array_add (topics, (gpointer)topic);
  if (!kafka_longest_retention (settings_of (doctor), topics, TIMEOUT_MS, &retention_ms, &error)) {
    doctor_ok (doctor, "retention", "not checked: %s", error->message);
    return;
  }
  g_autofree char *days = g_strdup_printf ("%.1f days", (double)retention_ms / (double)DAY_MS);
  g_autofree char *config = g_strdup_printf ("cleanup.policy=delete,retention.ms=%" G_GINT64_FORMAT,
                                             MIN (most_days, keep_days - 1) * DAY_MS);
  g_autofree char *remedy = doctor_alter_topic (doctor, topic, config);
  if (retention_ms >= 0 && retention_ms < keep_days * DAY_MS)
    doctor_ok (doctor, "retention",
               "topic %s keeps messages for %s, runs and verdicts are kept for %" G_GINT64_FORMAT
               " %s",
               topic, days, keep_days, plural (keep_days, "day", "days"));
  else
    doctor_warn (
        doctor, "retention", remedy,
        "topic %s keeps messages %s%s, but runs and verdicts are kept for only %" G_GINT64_FORMAT
        " %s ([runs] keep_days): %s",
        topic, retention_ms < 0 ? "" : "for ", retention_ms < 0 ? "for ever" : days, keep_days,
        plural (keep_days, "day", "days"), then);
}

static void
check_dead_letters (Doctor *doctor, const KafkaTopic *found, guint n_found)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *topic = cli_topic (doctor->cli, "dead");
  const KafkaTopic *dead = find_topic (found, n_found, topic);
  if (dead == NULL)
    return;
  g_autofree char *unread = NULL;
  g_autoptr (GArray) offsets
      = kafka_offsets (settings_of (doctor), NULL, dead, 1, COUNT_WITHIN_MS, &unread, &error);
  gint64 n = offsets != NULL
                 ? dead_letters_waiting (doctor->cli, doctor->migrated ? doctor->pg : NULL, offsets,
                                         &error)
                 : -1;
  g_autofree char *count = doctor_count (n, "message");
  if (error != NULL)
    doctor_error (doctor, offsets == NULL ? CODE_KAFKA : CODE_POSTGRES, "dead letters",
                  "pruned status", "could not be counted: %s", error->message);
  else if (unread != NULL)
    say_silent (doctor, "dead letters", topic, unread);
  else if (n < 0)
    doctor_ok (doctor, "dead letters", "not checked: their verdicts are in PostgreSQL");
  else if (n > 0)
    doctor_warn (doctor, "dead letters", "pruned dead list", "%s without a verdict", count);
  else
    doctor_ok (doctor, "dead letters", "none");
}

static gboolean
ask_kafka (Doctor *doctor, const GArray *wanted, KafkaTopic **found, GError **error)
{
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (settings_of (doctor), error);
  return admin != NULL && (*found = topics_looked_at (admin, wanted, TIMEOUT_MS, error)) != NULL;
}

static const struct {
  const char *name;
  gint64 days;
  const char *then;
} KEPT[] = { { "ticks", 7, "older messages are refused as too old" },
             { "events", 7, "older messages are refused as too old" },
             { "dead", 30, "older messages are listed again without their verdict" } };

void
doctor_kafka (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autofree KafkaTopic *found = NULL;
  doctor->kafka = cli_kafka_settings (doctor->cli, &error);
  if (doctor->kafka == NULL) {
    doctor_error (doctor, CODE_CONFIG, "Kafka", "export PRUNED_KAFKA_BOOTSTRAP_SERVERS=HOST:PORT",
                  "%s", error->message);
    return;
  }
  if (!cli_kafka_consumer_check (doctor->cli, &error)) {
    g_clear_pointer (&doctor->kafka, g_strfreev);
    doctor_error (doctor, CODE_CONFIG, "Kafka", "pruned config", "%s", error->message);
    return;
  }
  check_library (doctor);
  g_autoptr (GArray) wanted = topics_wanted (doctor->cli->config, doctor->cli->jobs);
  if (!ask_kafka (doctor, wanted, &found, &error)) {
    g_autofree char *remedy = g_strdup_printf ("kcat -L -b %s", bootstrap (doctor));
    doctor_error (doctor, CODE_KAFKA, "Kafka", remedy, "%s", error->message);
    return;
  }
  doctor_ok (doctor, "Kafka", "it answers at %s", bootstrap (doctor));
  doctor_acl (doctor, wanted);
  check_topics (doctor, wanted, found);
  for (guint i = topics_needed (wanted); i < wanted->len; i++) {
    compare_clock (doctor, &found[i]);
    doctor_whose (doctor, &found[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (KEPT); i++) {
    g_autofree char *topic = cli_topic (doctor->cli, KEPT[i].name);
    if (find_topic (found, wanted->len, topic) != NULL)
      check_retention (doctor, topic, KEPT[i].days, KEPT[i].then);
  }
  doctor_events (doctor);
  doctor_erasures (doctor);
  doctor_group (doctor);
  check_dead_letters (doctor, found, wanted->len);
  doctor_unread (doctor);
}
