#include "cli/doctor/doctor.h"
#include "engine/clock/processes.h"
#include "engine/job/sentence/own_topics.h"
#include "kafka/offsets.h"

#define TIMEOUT_MS 10000

/* Up to where the partition of OFFSET was read, by ROWS of unread.sql. */
static gint64
read_to (const PgRows *rows, const KafkaOffset *offset)
{
  for (int i = 0; i < rows_count (rows); i++)
    if (g_strcmp0 (rows_text (rows, i, "topic"), offset->topic) == 0
        && rows_int (rows, i, "partition") == offset->partition)
      return rows_int (rows, i, "read_to");
  return -1;
}

/* A partition of which the group has read nothing yet is not known to be late. */
static void
say_unread (Doctor *doctor, const GArray *offsets, const PgRows *rows)
{
  for (guint i = 0; i < offsets->len;) {
    const char *topic = g_array_index (offsets, KafkaOffset, i).topic;
    gint64 n = 0;
    for (; i < offsets->len && g_array_index (offsets, KafkaOffset, i).topic == topic; i++) {
      const KafkaOffset *one = &g_array_index (offsets, KafkaOffset, i);
      if (one->next >= 0 && one->high > read_to (rows, one))
        n += MAX (one->high - MAX (one->next, one->low), 0);
    }
    g_autofree char *count = doctor_count (n, "message");
    if (n > 0)
      doctor_error (doctor, CODE_KAFKA, "unread", "pruned run",
                    "no daemon runs, and %s of %s wait to be read", count, topic);
  }
}

static GArray *
topics_of (Doctor *doctor, const GPtrArray *own)
{
  GArray *topics = g_array_new (FALSE, FALSE, sizeof (KafkaTopic));
  for (guint i = 0; i < own->len; i++) {
    const KafkaTopic topic = { own->pdata[i], -1 };
    g_array_append_val (topics, topic);
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (KafkaAdmin) admin = kafka_admin_new ((const char *const *)doctor->kafka, &error);
  for (guint i = topics->len; i-- > 0;) {
    KafkaTopic *topic = &g_array_index (topics, KafkaTopic, i);
    if (admin == NULL || !kafka_admin_look (admin, topic, 1, TIMEOUT_MS, NULL)
        || topic->trouble != NULL || topic->partitions < 0)
      g_array_remove_index (topics, i); /* doctor_kafka says it */
  }
  return topics;
}

void
doctor_unread (Doctor *doctor)
{
  if (doctor->pg == NULL || !doctor->migrated)
    return;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  g_autoptr (PgRows) rows = doctor_ask (doctor, "unread", "src/cli/doctor/sql/unread.sql", values);
  if (rows == NULL || rows_int (rows, 0, "alive") > 0)
    return;
  g_autoptr (GPtrArray) own = jobs_own_topics (doctor->cli->jobs, doctor->cli->config);
  g_ptr_array_add (own, cli_topic (doctor->cli, "ticks"));
  g_ptr_array_add (own, cli_topic (doctor->cli, "events"));
  g_autoptr (GArray) topics = topics_of (doctor, own);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  g_autoptr (GArray) offsets = kafka_offsets (
      (const char *const *)doctor->kafka, config_text (doctor->cli->config, "topics", "prefix"),
      (const KafkaTopic *)(gpointer)topics->data, topics->len, TIMEOUT_MS, &why, &error);
  if (offsets != NULL)
    say_unread (doctor, offsets, rows);
  else
    doctor_warn (doctor, "unread", "pruned status", "%s", error->message);
}
