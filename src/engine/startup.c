#include "engine/startup.h"

#include "base/thread.h"
#include "engine/clock/schedule.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/lane/lane.h"
#include "engine/ledger/database.h"
#include "engine/ledger/mode.h"
#include "engine/ledger/schema.h"
#include "engine/modes.h"
#include "engine/new_topics.h"
#include "engine/no_effect.h"
#include "engine/outbox/publish.h"
#include "engine/outbox/remember.h"
#include "engine/outbox/topics.h"
#include "kafka/faults.h"
#include "kafka/library.h"
#include "kafka/settings.h"

#define TIMEOUT_MS 10000
#define CLOCK_WITHIN_MS 2000
#define SHOW_US (2 * G_USEC_PER_SEC)

void
startup_note_partitions (Service *service, const KafkaTopic *topic)
{
  if (g_str_has_suffix (topic->name, ".dead"))
    service->dead_partitions = topic->partitions;
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    Job *job = jobs_at (in_force_jobs (), i);
    if (!g_str_equal (job->work_topic, topic->name))
      continue;
    atomic_store (&job->partitions, topic->partitions);
    const int wanted = MAX (job->capacity, in_force_of (job)->ranges);
    if (topic->partitions >= wanted)
      continue;
    g_autofree char *partitions = g_strdup_printf ("%d", topic->partitions);
    g_autofree char *capacity = g_strdup_printf ("%d", wanted);
    log_warning (
        "Topic has fewer partitions than the job's capacity: their number limits the runs at a time",
        "topic", topic->name, "partitions", partitions, "capacity", capacity, "remedy",
        "pruned topics --apply");
  }
}

/* Whether TOPIC is that of a job that is off: nothing is sent there. */
static gboolean
is_of_job_off (const char *topic)
{
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    if (g_str_equal (job->work_topic, topic))
      return !in_force_of (job)->enabled;
  }
  return FALSE;
}

/* OFF: gets the names of those that are missing, and that only jobs need that are off. */
static gboolean
all_there (Service *service, const GArray *topics, GString *off, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL);
  g_string_truncate (off, 0);
  for (guint i = 0; i < topics->len; i++) {
    const KafkaTopic *topic = &g_array_index (topics, KafkaTopic, i);
    GString *names = is_of_job_off (topic->name) ? off : missing;
    if (topic->partitions > 0)
      startup_note_partitions (service, topic);
    else
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", topic->name);
  }
  if (missing->len == 0)
    return TRUE;
  return error_set (error, PRUNED_OUTAGE, "missing topic %s; run: pruned topics --apply",
                    missing->str);
}

/* Looks for the optional topic. Without it, cron compares one clock less. */
static void
look_for_clock (Service *service, KafkaAdmin *admin, const GArray *wanted)
{
  guint needed = topics_needed (wanted);
  for (guint i = needed; i < wanted->len; i++) {
    KafkaTopic topic = { g_array_index (wanted, WantedTopic, i).name, -1 };
    g_autoptr (GError) error = NULL;
    gboolean answered = kafka_admin_look (admin, &topic, 1, CLOCK_WITHIN_MS, &error);
    if (answered && topic.partitions > 0)
      service->clock_topic = g_strdup (topic.name);
    else
      log_warning (
          "Topic is missing: only the clocks of this machine and the database decide when a tick is due",
          "topic", topic.name, "detail",
          !answered               ? error->message
          : topic.trouble != NULL ? topic.trouble
                                  : "missing",
          "remedy", "pruned topics --apply");
  }
}

gboolean
startup_topics (Service *service, GError **error)
{
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (service->kafka_settings, error);
  g_autoptr (GArray) wanted = topics_wanted (service->config, in_force_jobs ());
  g_autoptr (GArray) topics = g_array_new (FALSE, TRUE, sizeof (KafkaTopic));
  for (guint i = 0; i < topics_needed (wanted); i++) {
    KafkaTopic topic = { g_array_index (wanted, WantedTopic, i).name, -1 };
    g_array_append_val (topics, topic);
  }
  if (admin != NULL)
    new_topics_make (admin, service->config, wanted);
  g_autoptr (GString) off = g_string_new (NULL);
  /* A new topic takes a while to show on every broker. */
  for (gint64 until = g_get_monotonic_time () + SHOW_US;; g_usleep (SHOW_US / 10)) {
    g_autoptr (GError) missing = NULL;
    if (admin == NULL
        || !kafka_admin_describe (admin, (KafkaTopic *)(gpointer)topics->data, topics->len,
                                  TIMEOUT_MS, error))
      return FALSE;
    if (all_there (service, topics, off, &missing))
      break;
    if (g_get_monotonic_time () >= until) {
      g_propagate_error (error, g_steal_pointer (&missing));
      return FALSE;
    }
  }
  if (off->len > 0)
    log_warning (
        "Topic of a job that is off is missing: its runs begin once the job is on and the topic is there",
        "topic", off->str, "remedy", "pruned topics --apply");
  look_for_clock (service, admin, wanted);
  service->cluster_id = kafka_admin_cluster_id (admin, TIMEOUT_MS, error);
  return service->cluster_id != NULL;
}

static gboolean
make_embedded_topics (const Service *service, KafkaEmbedded *embedded, GError **error)
{
  g_autoptr (GArray) wanted = topics_wanted (service->config, in_force_jobs ());
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *topic = &g_array_index (wanted, WantedTopic, i);
    if (!kafka_embedded_topic (embedded, topic->name, topic->partitions, error))
      return FALSE;
  }
  g_autoptr (GPtrArray) own = jobs_own_topics (in_force_jobs (), service->config);
  for (guint i = 0; i < own->len; i++)
    if (!kafka_embedded_topic (embedded, own->pdata[i], 1, error))
      return FALSE;
  return TRUE;
}

void
startup_add_setting (const char *key, const char *value, gpointer data)
{
  g_ptr_array_add (data, g_strdup (key));
  g_ptr_array_add (data, g_strdup (value));
}

gboolean
startup_embedded (Service *service, KafkaEmbedded **embedded, GPtrArray *settings, GError **error)
{
  *embedded = kafka_embedded_new (error);
  if (*embedded == NULL)
    return FALSE;
  startup_add_setting ("bootstrap.servers", kafka_embedded_bootstrap (*embedded), settings);
  startup_add_setting ("fetch.wait.max.ms", "10", settings);
  if (!make_embedded_topics (service, *embedded, error))
    return FALSE;
  log_info (
      "embedded Kafka listens", "bootstrap", kafka_embedded_bootstrap (*embedded), "good_for",
      "trying things out, with one process: schedules, runs, limits and restores are in"
      " PostgreSQL and outlive it",
      "not_for",
      "production: its messages are in memory, so outcomes, dead letters, and ticks and events"
      " that were not read are gone when the process ends");
  return TRUE;
}

/* Warns of faults that the daemon cannot prevent. */
static void
warn_library (const Service *service)
{
  guint next = 0;
  const char *const *settings = (const char *const *)service->kafka_settings;
  for (const KafkaFault *fault; (fault = kafka_fault_next (settings, &next)) != NULL;)
    log_warning ("The Kafka library has a known fault", "librdkafka", kafka_library_version (),
                 "detail", fault->what, "remedy", fault->remedy);
}

static gboolean
look_at_postgres (Service *service, GError **error)
{
  Pg *pg = service->main.pg; /* the main thread waits for this one */
  warn_library (service);
  if (*service->pg.url == '\0')
    return error_set (error, PRUNED_OUTAGE,
                      "no [postgres] url: set it in the configuration file or PRUNED_POSTGRES_URL");
  if (!pg_ensure (pg, error) || !schema_check (pg, error)
      || !database_look (pg, &service->origin, error) || !mode_read (pg, error)
      || !remember_check (service->config, pg, error) || !schedule_plant (pg, error))
    return FALSE;
  if (pg_is_unchecked (pg))
    log_warning ("Database has the encoding SQL_ASCII; its texts are not checked", "detail",
                 PG_UNCHECKED);
  modes_say ();
  no_effect_say ();
  return TRUE;
}

static void *
ask_postgres (void *data)
{
  GError *error = NULL;
  pthread_setname_np (pthread_self (), "startup");
  (void)!look_at_postgres (data, &error);
  return error;
}

/* Applications create the topics of their own events; the daemon only warns. */
static void
look_for_own (Service *service)
{
  g_autoptr (GPtrArray) own = jobs_own_topics (in_force_jobs (), service->config);
  g_autoptr (KafkaAdmin) admin
      = own->len > 0 ? kafka_admin_new (service->kafka_settings, NULL) : NULL;
  for (guint i = 0; admin != NULL && i < own->len; i++) {
    KafkaTopic topic = { own->pdata[i], -1 };
    g_autoptr (GError) error = NULL;
    gboolean answered = kafka_admin_look (admin, &topic, 1, CLOCK_WITHIN_MS, &error);
    if (!answered || topic.partitions <= 0)
      log_warning ("Topic of an application's events is missing: it is read once it is there",
                   "topic", topic.name, "detail",
                   !answered               ? error->message
                   : topic.trouble != NULL ? topic.trouble
                                           : "missing");
  }
}

/* The consumer group: the prefix, unless [kafka] sets `group.id`. */
static const char *
group_of (const Service *service)
{
  const char *own = kafka_setting ((const char *const *)service->kafka_settings, "group.id");
  return own != NULL ? own : service->prefix;
}

/* The number of partitions if this process is the only one. */
static guint
max_lanes (const Service *service)
{
  guint lanes = 2 * (guint)config_int (service->config, "topics", "partitions");
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    lanes += (guint)MAX (job->capacity, in_force_of (job)->ranges);
  }
  return lanes;
}

gboolean
startup_dependencies (Service *service, const KafkaHandlers *handlers, gboolean *postgres,
                      GError **error)
{
  g_autoptr (GError) kafka = NULL;
  pthread_t asking;
  void *cause;
  *postgres = FALSE;
  if (!thread_start (&asking, ask_postgres, service, error))
    return FALSE;
  service->producer = kafka_producer_new (service->kafka_settings, &kafka);
  if (service->producer != NULL)
    service->consumer = kafka_consumer_new (service->kafka_settings, group_of (service),
                                            max_lanes (service), handlers, service, &kafka);
  gboolean there = service->consumer != NULL && startup_topics (service, &kafka);
  if (there)
    look_for_own (service);
  pthread_join (asking, &cause);
  *postgres = cause != NULL;
  if (cause != NULL)
    g_propagate_error (error, cause);
  else if (!there)
    g_propagate_error (error, g_steal_pointer (&kafka));
  return cause == NULL && there;
}
