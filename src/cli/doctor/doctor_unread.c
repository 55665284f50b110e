#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "engine/clock/processes.h"
#include "engine/job/sentence/own_topics.h"
#include "kafka/offsets.h"

#define TIMEOUT_MS 10000
#define PATIENCE_S 8 /* a daemon commits what it has read twice a second */
#define LOOK_AGAIN_US (G_USEC_PER_SEC / 2)

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

/* How many messages of the partition ONE wait. One of which the group has read nothing yet is not
 * known to be late. */
static gint64
waiting (const KafkaOffset *one, const PgRows *rows)
{
  return one->next >= 0 && one->high > read_to (rows, one)
             ? MAX (one->high - MAX (one->next, one->low), 0)
             : 0;
}

/* SINCE: an earlier look, of which only what stood still since is told; NULL: no daemon runs. */
static void
say_unread (Doctor *doctor, const GArray *offsets, const PgRows *rows, const GArray *since)
{
  for (guint i = 0; i < offsets->len;) {
    const char *topic = g_array_index (offsets, KafkaOffset, i).topic;
    gint64 n = 0;
    for (; i < offsets->len && g_array_index (offsets, KafkaOffset, i).topic == topic; i++)
      if (since == NULL
          || g_array_index (since, KafkaOffset, i).next
                 == g_array_index (offsets, KafkaOffset, i).next)
        n += waiting (&g_array_index (offsets, KafkaOffset, i), rows);
    g_autofree char *count = doctor_count (n, "message");
    if (n > 0 && since == NULL)
      doctor_error (doctor, CODE_KAFKA, "unread", "pruned run",
                    "no daemon runs, and %s of %s wait to be read", count, topic);
    else if (n > 0)
      doctor_error (doctor, CODE_KAFKA, "unread", "pruned status",
                    "%s of %s wait to be read, and within %d s no daemon has read any of them",
                    count, topic, PATIENCE_S);
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

static GArray *
ask_kafka (Doctor *doctor, const GArray *topics)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;
  GArray *offsets = kafka_offsets (
      (const char *const *)doctor->kafka, config_text (doctor->cli->config, "topics", "prefix"),
      (const KafkaTopic *)(gpointer)topics->data, topics->len, TIMEOUT_MS, &why, &error);
  if (offsets == NULL)
    doctor_warn (doctor, "unread", "pruned status", "%s", error->message);
  return offsets;
}

static PgRows *
ask_postgres (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return doctor_ask (doctor, "unread", "src/cli/doctor/sql/unread.sql", values);
}

/* Does any partition have messages that wait, and stands where it stood? */
static gboolean
any_stands (const GArray *offsets, const GArray *since, const PgRows *rows)
{
  gboolean any = FALSE;
  for (guint i = 0; i < offsets->len && i < since->len; i++) {
    const KafkaOffset *one = &g_array_index (offsets, KafkaOffset, i);
    any |= waiting (one, rows) > 0 && one->next == g_array_index (since, KafkaOffset, i).next;
  }
  return any;
}

/* A daemon runs: SINCE is looked at until each partition has moved on. */
static void
look_again (Doctor *doctor, const GArray *topics, const GArray *since, const PgRows *first)
{
  const gint64 deadline_us = clock_monotonic_us () + PATIENCE_S * G_USEC_PER_SEC;
  if (!any_stands (since, since, first))
    return;
  for (;;) {
    g_usleep (LOOK_AGAIN_US);
    g_autoptr (PgRows) rows = ask_postgres (doctor);
    g_autoptr (GArray) offsets = rows != NULL ? ask_kafka (doctor, topics) : NULL;
    if (offsets == NULL || offsets->len != since->len || !any_stands (offsets, since, rows))
      return;
    if (clock_monotonic_us () < deadline_us)
      continue;
    say_unread (doctor, offsets, rows, since);
    return;
  }
}

void
doctor_unread (Doctor *doctor)
{
  if (doctor->pg == NULL || !doctor->migrated)
    return;
  g_autoptr (PgRows) rows = ask_postgres (doctor);
  if (rows == NULL)
    return;
  g_autoptr (GPtrArray) own = jobs_own_topics (doctor->cli->jobs, doctor->cli->config);
  g_ptr_array_add (own, cli_topic (doctor->cli, "ticks"));
  g_ptr_array_add (own, cli_topic (doctor->cli, "events"));
  g_autoptr (GArray) topics = topics_of (doctor, own), offsets = ask_kafka (doctor, topics);
  if (offsets != NULL && rows_int (rows, 0, "alive") > 0)
    look_again (doctor, topics, offsets, rows);
  else if (offsets != NULL)
    say_unread (doctor, offsets, rows, NULL);
}
