#include "engine/engine.h"

#include "avro/registry.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/log_queue.h"
#include "engine/clock/dispatcher.h"
#include "engine/clock/housekeeping.h"
#include "engine/clock/stop.h"
#include "engine/watchdog.h"
#include "engine/whose.h"
#include "engine/health.h"
#include "engine/idle.h"
#include "engine/job/in_force.h"
#include "engine/lane/lane.h"
#include "engine/outbox/publish.h"
#include "engine/progress.h"
#include "engine/reload.h"
#include "engine/service/service.h"
#include "engine/startup.h"
#include "engine/subscribe.h"
#include "engine/work/worker.h"
#include "store/store.h"

#include <pthread.h>

#define POLL_MS 100
#define POLL_UNTIL_IDLE_MS 20 /* whether there is work left is looked at as often */
#define COMMIT_EVERY_US (G_USEC_PER_SEC / 2)
#define PATIENCE_US (4 * G_USEC_PER_SEC) /* after a revoke or SIGTERM: then steps are cancelled */
#define STUCK_US (180 * G_USEC_PER_SEC)
#define STOP_S 9  /* deadline of a process that ends by itself */
#define LEAVE_S 5 /* part of STOP_S, for libraries to close their connections */
#define EXIT_CONFIG 2
#define EXIT_POSTGRES 3
#define EXIT_KAFKA 4
#define EXIT_BUG 70

void
engine_expect (void)
{
  watchdog_expect ();
}

gboolean
engine_begin (GError **error)
{
  if (!watchdog_begin (error))
    return FALSE;
  log_queue_begin ();
  return TRUE;
}

gboolean
engine_is_alive (void)
{
  return watchdog_is_alive ();
}

static atomic_int ready, stopped;

gboolean
engine_is_ready (void)
{
  return atomic_load (&ready);
}

gboolean
engine_is_stopped (void)
{
  return atomic_load (&stopped);
}

static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER;
static Lanes *running_lanes; /* the running daemon's, else NULL; under the lock */

typedef struct {
  EngineRunning visit;
  gpointer data;
} Running;

static void
on_running (const Job *job, gint64 since_us, gpointer data)
{
  const Running *running = data;
  running->visit (job->name, (double)(clock_monotonic_us () - since_us) / G_USEC_PER_SEC,
                  running->data);
}

void
engine_each_running (EngineRunning visit, gpointer data)
{
  Running running = { visit, data };
  pthread_mutex_lock (&lanes_lock);
  if (running_lanes != NULL)
    lanes_each_running (running_lanes, on_running, &running);
  pthread_mutex_unlock (&lanes_lock);
}

static void
show_lanes (Lanes *lanes)
{
  pthread_mutex_lock (&lanes_lock);
  running_lanes = lanes;
  pthread_mutex_unlock (&lanes_lock);
}

/* --- partitions come and go --- */

/* NULL: no topic of work. */
static Job *
job_of_topic (const char *topic)
{
  const Jobs *jobs = in_force_jobs ();
  Job *job;
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (g_str_equal (topic, jobs_at (jobs, i)->work_topic))
      return jobs_at (jobs, i);
  for (guint i = 0; (job = jobs_removed_at (jobs, i)) != NULL; i++)
    if (g_str_equal (topic, job->work_topic))
      return job;
  return NULL;
}

static gpointer
on_assigned (KafkaPartition *partition, const char *topic, gint32 number, gpointer data)
{
  Service *service = data;
  g_autofree char *ticks = publisher_topic (service->publisher, "ticks");
  Job *job = job_of_topic (topic);
  if (job != NULL) {
    if (number >= atomic_load (&job->partitions)) /* the topic has more partitions than before */
      atomic_store (&job->partitions, number + 1);
    return lanes_add (service->lanes, partition, topic, number, job, FALSE);
  }
  return lanes_add (service->lanes, partition, topic, number, NULL, g_str_equal (topic, ticks));
}

static void
on_ready (gpointer data)
{
  Service *service = data;
  lanes_kick_all (service->lanes);
  atomic_store (&service->shared.group_asked, service->group_counts);
  log_info ("Partitions assigned", "consumer_group",
            config_text (service->config, "topics", "prefix"));
}

static void
on_revoked (GPtrArray *lanes, gboolean lost, gpointer data)
{
  Service *service = data;
  atomic_store (&ready, FALSE);
  FAULT ("rebalance.before_revoke");
  lanes_revoke (service->lanes, lanes, lost, lost ? 0 : PATIENCE_US);
  FAULT ("rebalance.after_revoke");
}

static void
on_wake (gpointer lane, gpointer data)
{
  lanes_wake (((Service *)data)->lanes, lane);
}

static const KafkaHandlers HANDLERS = { on_assigned, on_ready, on_revoked, on_wake };

/* --- the main thread's rounds --- */

static void
watch_workers (Service *service)
{
  gint64 longest = lanes_longest_us (service->lanes);
  if (longest < STUCK_US)
    return;
  g_autoptr (GError) error = g_error_new (
      PRUNED_ERROR, PRUNED_FATAL,
      "a worker has been busy for %d s: the process ends, so that others get its partitions",
      (int)(longest / G_USEC_PER_SEC));
  service_fail (service, error);
}

static gboolean
round_once (Service *service, int poll_ms, gint64 *committed_us, GError **error)
{
  watchdog_beat ();
  atomic_store (&stopped, atomic_load (&service->shared.stopped));
  if (atomic_exchange (&service->shared.reload_asked, FALSE))
    reload_ask ();
  if (atomic_exchange (&service->shared.left_out, FALSE))
    reload_ask_left_out ();
  if (atomic_exchange (&service->shared.reloaded, FALSE))
    subscribe_follow (service);
  if (!kafka_consumer_poll (service->consumer, poll_ms, error))
    return FALSE;
  gint64 now = clock_monotonic_us ();
  if (now - *committed_us < COMMIT_EVERY_US)
    return TRUE;
  *committed_us = now;
  watch_workers (service);
  atomic_store (&ready, health_look (service) && kafka_consumer_joined (service->consumer));
  FAULT ("offsets.before_commit");
  g_autoptr (GError) cause = NULL;
  if (!kafka_consumer_commit (service->consumer, FALSE, &cause))
    log_warning_every (30, "commit", "Offset commit failed; will retry", cause->message);
  FAULT ("offsets.after_commit");
  return TRUE;
}

static int
loop (const EngineOptions *options, Service *service, GError **error)
{
  gint64 committed_us = 0, looked_us = 0;
  const int poll_ms = options->until_idle ? POLL_UNTIL_IDLE_MS : POLL_MS;
  Progress *progress = options->progress ? progress_new (service) : NULL;
  gboolean ok = TRUE, done = FALSE;
  if (!options->until_idle)
    pg_close (service->main.pg);
  while (ok && !done && !watchdog_asked_to_end () && !atomic_load (&service->shared.failed)) {
    ok = round_once (service, poll_ms, &committed_us, error);
    done = ok && options->until_idle && idle_reached (service, &looked_us);
    progress_show (progress);
  }
  progress_free (progress);
  const gboolean failed = ok && atomic_load (&service->shared.failed);
  if (failed)
    g_propagate_error (error, service_failure ());
  return ok && !failed                                    ? 0
         : atomic_load (&service->shared.group_is_others) ? WHOSE_OTHERS
                                                          : EXIT_BUG;
}

typedef struct {
  StopWatch *watch;
  Housekeeping *housekeeping;
  Dispatcher *dispatcher;
  Workers *workers;
} Threads;

static gboolean
start (Threads *threads, Service *service, GError **error)
{
  guint n = (guint)config_int (service->config, "run", "workers");
  return (threads->watch = stop_watch_new (service, error)) != NULL
         && (threads->housekeeping = housekeeping_new (service, error)) != NULL
         && (threads->dispatcher = dispatcher_new (service, error)) != NULL
         && workers_start (&threads->workers, service, MAX (n, 2), error);
}

/* Takes no new work; running steps end or are cancelled; closing the consumer commits the offsets.
 * Some of THREADS may not have started. */
static void
stop (const Threads *threads, Service *service)
{
  lanes_stop (service->lanes);
  kafka_consumer_close (service->consumer);
  publisher_stop (service->publisher);
  workers_join (threads->workers);
  dispatcher_stop (threads->dispatcher);
  housekeeping_stop (threads->housekeeping);
  stop_watch_free (threads->watch);
}

static int
run_threads (const EngineOptions *options, Service *service, GError **error)
{
  Threads threads = { 0 };
  if (!start (&threads, service, error)) {
    watchdog_leave_within (STOP_S, EXIT_KAFKA);
    stop (&threads, service);
    return EXIT_KAFKA;
  }
  log_info ("Started", "version", PRUNED_VERSION, "consumer_group", service->prefix);
  show_lanes (service->lanes);
  reload_begin (options, service);
  int code = loop (options, service, error);
  watchdog_rest ();
  watchdog_leave_within (STOP_S, code);
  show_lanes (NULL);
  atomic_store (&ready, FALSE);
  log_info ("Stopping");
  stop (&threads, service);
  reload_end ();
  log_info ("Stopped");
  return code;
}

static void
service_clear (Service *service)
{
  if (service->producer != NULL)
    kafka_producer_free (service->producer); /* reports unsent messages to their lanes */
  if (service->lanes != NULL)
    lanes_free (service->lanes);
  if (service->consumer != NULL)
    kafka_consumer_free (service->consumer);
  publisher_free (service->publisher);
  pg_free (service->main.pg);
  wake_free (service->wake);
  g_free (service->cluster_id);
  g_free (service->clock_topic);
  origin_clear (&service->origin);
  g_clear_pointer (&service->main.own_topics, g_ptr_array_unref);
  g_clear_pointer (&service->main.work_topics, g_ptr_array_unref);
  g_free (service->main.trouble_seen);
  g_free (service->main.trouble_told);
  g_free (service->dispatcher.tick_again_us);
}

int
engine_run (const EngineOptions *options, GError **error)
{
  Service service
      = { .config = options->config,
          .prefix = config_text (options->config, "topics", "prefix"),
          .max_skew_us = config_int (options->config, "clock", "max_skew_s") * G_USEC_PER_SEC,
          .keep_us = config_int (options->config, "runs", "keep_days") * G_TIME_SPAN_DAY,
          .pg = { config_text (options->config, "postgres", "url"),
                  config_text (options->config, "postgres", "app_schema"),
                  config_text (options->config, "postgres", "extension_schemas"),
                  config_bool (options->config, "postgres", "prepare"), "pruned" } };
  service.pg.plans = &service.shared.plans;
  service.main.pg = pg_new (&service.pg);
  KafkaEmbedded *embedded = NULL;
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (g_free);
  int code = EXIT_KAFKA;
  config_each_kafka (options->config, startup_add_setting, settings);
  service.wake = wake_new ();
  service.lanes = lanes_new (jobs_numbers (options->jobs));
  gboolean postgres = FALSE;
  gboolean ok = !options->embedded_kafka || startup_embedded (&service, &embedded, settings, error);
  group_name_client (settings);
  g_ptr_array_add (settings, NULL);
  service.kafka_settings = (const char **)settings->pdata;
  if (ok && !registry_start (options->config, error))
    code = EXIT_KAFKA;
  else if (ok && !stores_start (options->config, jobs_use_bucket (in_force_jobs ()), error))
    code = (*error)->code == PRUNED_OUTAGE ? EXIT_KAFKA : EXIT_CONFIG;
  else if (ok && !startup_dependencies (&service, &HANDLERS, &postgres, error))
    code = postgres ? EXIT_POSTGRES : EXIT_KAFKA;
  else if (ok && (code = whose_check (&service, options->embedded_kafka, error)) == WHOSE_OURS)
    code = subscribe_join (&service, error) ? run_threads (options, &service, error) : EXIT_KAFKA;
  watchdog_leave_within (LEAVE_S, code);
  stores_stop ();
  registry_stop ();
  service_clear (&service);
  if (embedded != NULL)
    kafka_embedded_free (embedded);
  return code;
}
