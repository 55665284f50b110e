#include "engine/outbox/topics.h"

#include "engine/job/job_ranges.h"
#include "engine/outbox/owner.h"
#include "engine/outbox/remember.h"
#include "kafka/admin_settings.h"

#define DAY_MS "86400000"
#define WEEK_MS "604800000"
#define MONTH_MS "2592000000"
#define ROOMY_BYTES "10485760"

/* `pruned topics --help` lists these times. Ticks and events: shorter than [runs] keep_days. A
 * work message can be lost at any time: its run is found in PostgreSQL. */
static const char *const WEEK[] = { "cleanup.policy", "delete", "retention.ms", WEEK_MS, NULL };
/* A dead letter is larger than its message, and a work message can be larger than its tick. */
static const char *const MONTH[] = {
  "cleanup.policy", "delete", "retention.ms", MONTH_MS, "max.message.bytes", ROOMY_BYTES, NULL
};
static const char *const DAY[] = {
  "cleanup.policy", "delete", "retention.ms", DAY_MS, "max.message.bytes", ROOMY_BYTES, NULL
};

/* Its timestamps are the broker's (broker_clock.h), and its last record with the owner's key stays
 * (owner.h). */
static const char *const CLOCK[] = {
  "message.timestamp.type", "LogAppendTime", "cleanup.policy", "compact", "segment.ms", DAY_MS, NULL
};

static const struct {
  const char *name;
  const char *const *settings;
} SHARED[] = { { "ticks", WEEK }, { "events", WEEK }, { "outcomes", WEEK }, { "dead", MONTH } };

static void
clear_topic (gpointer data)
{
  WantedTopic *topic = data;
  g_free (topic->name);
  g_strfreev (topic->own);
}

gint64
topics_remember_ms (const Jobs *jobs)
{
  int days = 0;
  for (guint i = 0; i < jobs_count (jobs); i++)
    days = MAX (days, jobs_at (jobs, i)->remember_days);
  return days * (G_TIME_SPAN_DAY / G_TIME_SPAN_MILLISECOND);
}

/* The ledger: as long as the job that remembers longest says; for ever, if none does yet. */
static void
add_ledger (GArray *topics, const Config *config, const Jobs *jobs)
{
  const gint64 ms = topics_remember_ms (jobs);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, ms > 0 ? ms : -1);
  const char *settings[] = { "cleanup.policy", "compact,delete", "retention.ms", text, NULL };
  WantedTopic ledger
      = { .name = g_strconcat (config_text (config, "topics", "prefix"), "." REMEMBER_TOPIC, NULL),
          .partitions = (gint32)config_int (config, "topics", "partitions"),
          .own = g_strdupv ((char **)settings) };
  ledger.settings = (const char *const *)ledger.own;
  g_array_append_val (topics, ledger);
}

GArray *
topics_wanted (const Config *config, const Jobs *jobs)
{
  GArray *topics = g_array_new (FALSE, FALSE, sizeof (WantedTopic));
  g_array_set_clear_func (topics, clear_topic);
  const char *prefix = config_text (config, "topics", "prefix");
  for (guint i = 0; i < G_N_ELEMENTS (SHARED); i++) {
    WantedTopic shared
        = { g_strconcat (prefix, ".", SHARED[i].name, NULL),
            (gint32)config_int (config, "topics", "partitions"), SHARED[i].settings };
    g_array_append_val (topics, shared);
  }
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    WantedTopic work
        = { g_strdup (job->work_topic), MAX (job->capacity, job_ranges (job, config)), DAY };
    g_array_append_val (topics, work);
  }
  if (remember_in_topic (config))
    add_ledger (topics, config, jobs);
  WantedTopic clock = { g_strconcat (prefix, "." OWNER_TOPIC, NULL), 1, CLOCK, TRUE };
  g_array_append_val (topics, clock);
  return topics;
}

guint
topics_needed (const GArray *wanted)
{
  guint n = wanted->len;
  while (n > 0 && g_array_index (wanted, WantedTopic, n - 1).optional)
    n--;
  return n;
}

static KafkaTopic *
unseen (const GArray *wanted)
{
  KafkaTopic *topics = g_new0 (KafkaTopic, wanted->len);
  for (guint i = 0; i < wanted->len; i++)
    topics[i].name = g_array_index (wanted, WantedTopic, i).name;
  return topics;
}

KafkaTopic *
topics_found (KafkaAdmin *admin, const GArray *wanted, int timeout_ms, GError **error)
{
  guint needed = topics_needed (wanted);
  g_autofree KafkaTopic *topics = unseen (wanted);
  gboolean found
      = kafka_admin_describe (admin, topics, needed, timeout_ms, error)
        && kafka_admin_look (admin, topics + needed, wanted->len - needed, timeout_ms, error);
  return found ? g_steal_pointer (&topics) : NULL;
}

KafkaTopic *
topics_looked_at (KafkaAdmin *admin, const GArray *wanted, int timeout_ms, GError **error)
{
  g_autofree KafkaTopic *topics = unseen (wanted);
  return kafka_admin_look (admin, topics, wanted->len, timeout_ms, error)
             ? g_steal_pointer (&topics)
             : NULL;
}

gboolean
topics_create (KafkaAdmin *admin, const GArray *wanted, const KafkaTopic *found, guint from,
               guint until, GError **error)
{
  g_autoptr (GArray) missing = g_array_new (FALSE, FALSE, sizeof (KafkaNewTopic));
  for (guint i = from; i < until; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    KafkaNewTopic topic = { one->name, one->partitions, one->settings };
    if (found[i].partitions < 0)
      g_array_append_val (missing, topic);
  }
  return kafka_admin_create (admin, (const KafkaNewTopic *)(gpointer)missing->data, missing->len,
                             error);
}

GPtrArray *
topics_settings (KafkaAdmin *admin, const GArray *wanted, const KafkaTopic *found, gboolean change,
                 GError **error)
{
  g_autoptr (GArray) there = g_array_new (FALSE, FALSE, sizeof (KafkaNewTopic));
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    KafkaNewTopic topic = { one->name, one->partitions, one->settings };
    if (found[i].partitions >= 0)
      g_array_append_val (there, topic);
  }
  g_ptr_array_set_size (words, (int)there->len);
  if (!kafka_admin_settle (admin, (const KafkaNewTopic *)(gpointer)there->data, there->len, change,
                           (char **)words->pdata, error))
    return NULL;
  for (guint i = 0; i < wanted->len; i++)
    if (found[i].partitions < 0)
      g_ptr_array_insert (words, (int)i, NULL);
  return g_steal_pointer (&words);
}
