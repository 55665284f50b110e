#include "engine/subscribe.h"

#include "engine/job/in_force.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/lane/lane.h"
#include "engine/outbox/publish.h"
#include "engine/startup.h"

#include <string.h>

#define WITHIN_MS 2000

static GPtrArray *
subscription (const Service *service)
{
  GPtrArray *topics = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (topics, g_strconcat (service->prefix, ".ticks", NULL));
  g_ptr_array_add (topics, g_strconcat (service->prefix, ".events", NULL));
  for (guint i = 0; i < service->main.work_topics->len; i++)
    g_ptr_array_add (topics, g_strdup (service->main.work_topics->pdata[i]));
  const GPtrArray *own = service->main.own_topics;
  for (guint i = 0; i < own->len; i++) {
    kafka_consumer_optional (service->consumer, own->pdata[i]);
    g_ptr_array_add (topics, g_strdup (own->pdata[i]));
  }
  g_ptr_array_add (topics, NULL);
  return topics;
}

/* A topic that a start has not found, of a job that is off, is read once it is there. */
static void
allow_missing (const Service *service)
{
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    const Job *job = jobs_at (in_force_jobs (), i);
    if (atomic_load (&job->partitions) == 0)
      kafka_consumer_optional (service->consumer, job->work_topic);
  }
}

static gboolean
subscribe (Service *service, GError **error)
{
  g_autoptr (GPtrArray) topics = subscription (service);
  return kafka_consumer_subscribe (service->consumer, (const char *const *)topics->pdata, error);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The topics of work that are subscribed to: those of jobs that were removed, too, whose runs are
 * set waiting. */
static GPtrArray *
work_topics (void)
{
  const Jobs *jobs = in_force_jobs ();
  GPtrArray *topics = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < jobs_count (jobs); i++)
    g_ptr_array_add (topics, g_strdup (jobs_at (jobs, i)->work_topic));
  for (guint i = 0; jobs_removed_at (jobs, i) != NULL; i++)
    g_ptr_array_add (topics, g_strdup (jobs_removed_at (jobs, i)->work_topic));
  g_ptr_array_sort (topics, by_text);
  return topics;
}

gboolean
subscribe_join (Service *service, GError **error)
{
  service->main.own_topics = jobs_own_topics (in_force_jobs (), service->config);
  service->main.work_topics = work_topics ();
  service->publisher = publisher_new (service->producer, service->prefix);
  allow_missing (service);
  return subscribe (service, error);
}

static gboolean
same_topics (const GPtrArray *a, const GPtrArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; same && i < a->len; i++)
    same = g_str_equal (a->pdata[i], b->pdata[i]);
  return same;
}

/* A topic that is missing is read once it is there. */
static void
warn_missing (Service *service, const GPtrArray *work)
{
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (service->kafka_settings, NULL);
  for (guint i = 0; admin != NULL && i < work->len; i++) {
    KafkaTopic topic = { work->pdata[i], -1 };
    g_autoptr (GError) error = NULL;
    if (g_ptr_array_find_with_equal_func (service->main.work_topics, topic.name, g_str_equal, NULL))
      continue;
    kafka_consumer_optional (service->consumer, topic.name);
    if (kafka_admin_look (admin, &topic, 1, WITHIN_MS, &error) && topic.partitions > 0)
      startup_note_partitions (service, &topic);
    else
      log_warning ("Topic of a new job is missing: its runs begin once it is there", "topic",
                   topic.name, "remedy", "pruned topics --apply");
  }
}

void
subscribe_follow (Service *service)
{
  g_autoptr (GError) error = NULL;
  in_force_renew ();
  lanes_grow (service->lanes, jobs_numbers (in_force_jobs ()));
  g_autoptr (GPtrArray) own = jobs_own_topics (in_force_jobs (), in_force_config ());
  g_autoptr (GPtrArray) work = work_topics ();
  if (same_topics (own, service->main.own_topics) && same_topics (work, service->main.work_topics))
    return;
  warn_missing (service, work);
  g_ptr_array_unref (service->main.work_topics);
  service->main.work_topics = g_steal_pointer (&work);
  g_ptr_array_unref (service->main.own_topics);
  service->main.own_topics = g_steal_pointer (&own);
  if (!subscribe (service, &error))
    log_error ("Topics of jobs or events are not read", "error", error->message, "remedy",
               "restart the daemon");
}
