#include "web/pages.h"

#include "base/log_queue.h"
#include "engine/clock/letters.h"
#include "engine/engine.h"
#include "engine/job/in_force.h"
#include "engine/service/stats.h"
#include "engine/step/replica_state.h"
#include "engine/step/throttle_look.h"
#include "web/exposition.h"
#include "web/process.h"
#include "web/state.h"
#include "web/web.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#define ANSWER_MS 2000 /* time-out of PostgreSQL's answer */
#define TURN_S 1       /* time-out for the lock of a connection */
#define APDEX_SECONDS "le=\"43200\""

/* A database connection, used by one thread at a time. */
typedef struct {
  pthread_mutex_t lock;
  Pg *pg;
} Line;

struct _Pages {
  Web *web;
  Line figures; /* of /metrics */
  Line ready;   /* of /readyz: a slow scrape does not delay it */
  const Jobs *all;
  char *labels; /* the text of pruned_job_info */
  State *state; /* under the lock of `figures` */
};

typedef struct {
  GString *body;
  const char *last; /* the metric whose TYPE line was written last */
  double objects, in_time;
} Metrics;

/* `x_bucket`, `x_sum` and `x_count` belong to the metric x. */
static char *
family_of (const char *name, const char *kind)
{
  static const char *const suffixes[] = { "_bucket", "_sum", "_count" };
  for (guint i = 0; g_str_equal (kind, "histogram") && i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (name, suffixes[i]))
      return g_strndup (name, strlen (name) - strlen (suffixes[i]));
  return g_strdup (name);
}

static void
on_metric (const char *name, const char *kind, const char *labels, double value, gpointer data)
{
  Metrics *metrics = data;
  g_autofree char *family = family_of (name, kind);
  if (g_strcmp0 (family, metrics->last) != 0)
    exposition_head (metrics->body, family, kind, stats_help (family));
  metrics->last = g_intern_string (family);
  exposition_value (metrics->body, name, labels, value);
  if (g_str_equal (name, "pruned_object_age_seconds_count"))
    metrics->objects = value;
  if (g_str_equal (name, "pruned_object_age_seconds_bucket")
      && strstr (labels, APDEX_SECONDS) != NULL)
    metrics->in_time = value;
}

static void
gauge (GString *body, const char *name, const char *help, double value)
{
  exposition_head (body, name, "gauge", help);
  exposition_value (body, name, "", value);
}

/* Locks the connection. FALSE: time-out. */
static gboolean
take_turn (Line *line)
{
  struct timespec until;
  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_sec += TURN_S;
  return pthread_mutex_clocklock (&line->lock, CLOCK_MONOTONIC, &until) == 0;
}

/* The rows of a statement in a transaction of its own, so that a missing table leaves out only its
 * own metrics. NULL: ERROR. The caller holds the lock. */
static PgRows *
ask (Pg *pg, const char *file, PgValues *values, GError **error)
{
  if (!pg_begin_read_only (pg, error))
    return NULL;
  PgRows *rows = pg_run_file (pg, file, values, error);
  pg_rollback (pg);
  return rows;
}

static void
add_oldest_due (GString *body, const PgRows *rows)
{
  exposition_head (body, "pruned_oldest_due_seconds", "gauge",
                   "The age of the oldest run that is due and has not begun.");
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *labels = exposition_label ("job", rows_text (rows, i, "job"));
    exposition_value (body, "pruned_oldest_due_seconds", labels,
                      g_ascii_strtod (rows_text (rows, i, "seconds"), NULL));
  }
}

static const struct {
  const char *file, *name, *kind, *help, *job; /* job: only while it is in force; NULL: always */
} FIGURES[]
    = { { "src/web/sql/oldest_object.sql", "pruned_object_oldest_ready_seconds", "gauge",
          "The age of the oldest object that is ready to be deleted.", "ci.delete_objects" },
        { "src/web/sql/schedules_left.sql", "pruned_member_deletion_schedules", "gauge",
          "Scheduled member removals that are left, at most 1000.", "members.prune_deletions" },
        { "src/web/sql/lost_messages.sql", "pruned_lost_messages_total", "counter",
          "Ticks and events that Kafka dropped before they were read." },
        { "src/web/sql/lost_at.sql", "pruned_lost_messages_timestamp_seconds", "gauge",
          "When ticks or events were last found dropped; 0: never." } };

/* Metrics from the tables. A statement that fails leaves out its metrics; once PostgreSQL is down,
 * no other statement is tried. */
static void
add_tables (Pages *pages, GString *body)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (GError) error = NULL;
  in_force_renew ();
  pg_values_take (values, "job", in_force_names (TRUE)); /* the runs of the others wait */
  if (!take_turn (&pages->figures))
    return;
  gboolean there = state_add (pages->state, body);
  g_autoptr (PgRows) due
      = there ? ask (pages->figures.pg, "src/web/sql/oldest_due.sql", values, &error) : NULL;
  if (due != NULL)
    add_oldest_due (body, due);
  for (guint i = 0;
       there && i < G_N_ELEMENTS (FIGURES) && (error == NULL || error->code != PRUNED_OUTAGE);
       i++) {
    g_clear_error (&error);
    if (FIGURES[i].job != NULL && jobs_find (pages->all, FIGURES[i].job) == NULL)
      continue;
    g_autoptr (PgRows) rows = ask (pages->figures.pg, FIGURES[i].file, NULL, &error);
    if (rows == NULL)
      continue;
    exposition_head (body, FIGURES[i].name, FIGURES[i].kind, FIGURES[i].help);
    exposition_value (body, FIGURES[i].name, "",
                      g_ascii_strtod (rows_text (rows, 0, "value"), NULL));
  }
  pthread_mutex_unlock (&pages->figures.lock);
}

/* A job can run several steps at once: keeps the longest. */
static void
on_running (const char *job, double seconds, gpointer data)
{
  GHashTable *longest = data;
  const double *known = g_hash_table_lookup (longest, job);
  if (known == NULL || seconds > *known)
    g_hash_table_replace (longest, g_strdup (job), g_memdup2 (&seconds, sizeof seconds));
}

static void
add_running (GString *body)
{
  g_autoptr (GHashTable) longest = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer job, seconds;
  engine_each_running (on_running, longest);
  exposition_head (body, "pruned_running_step_seconds", "gauge",
                   "How long the longest running step of the job has been running.");
  g_hash_table_iter_init (&iter, longest);
  while (g_hash_table_iter_next (&iter, &job, &seconds)) {
    g_autofree char *labels = exposition_label ("job", job);
    exposition_value (body, "pruned_running_step_seconds", labels, *(double *)seconds);
  }
}

/* pruned_job_info: the labels of each job.conf. */
static char *
info_of (const Jobs *jobs)
{
  GString *text = g_string_new (NULL);
  exposition_head (text, "pruned_job_info", "gauge",
                   "1, with the labels of the job; join it with other metrics by job.");
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const char *name;
    json_t *value;
    g_autoptr (json_t) labels = job_labels (jobs_at (jobs, i));
    g_autofree char *job = exposition_label ("job", jobs_at (jobs, i)->name);
    g_autoptr (GString) all = g_string_new (job);
    json_object_foreach (labels, name, value) {
      g_autofree char *label = exposition_label (name, json_string_value (value));
      g_string_append_printf (all, ",%s", label);
    }
    exposition_value (text, "pruned_job_info", all->str, 1);
  }
  return g_string_free (text, FALSE);
}

static int
answer_metrics (GString *body, gpointer data)
{
  Pages *pages = data;
  Metrics metrics = { .body = body };
  stats_each (on_metric, &metrics);
  if (metrics.objects > 0)
    gauge (body, "pruned_object_apdex",
           "The share of the deleted objects that were deleted within 12 hours.",
           metrics.in_time / metrics.objects);
  gauge (body, "pruned_ready", "1: this process has its partitions, and Kafka answers.",
         engine_is_ready ());
  gauge (body, "pruned_stopped", "1: everything is stopped, by `pruned stop`.",
         engine_is_stopped ());
  gint64 letters = letters_waiting ();
  if (letters >= 0)
    gauge (body, "pruned_dead_letters", "Messages of the dead topic that wait for a verdict.",
           (double)letters);
  exposition_head (body, "pruned_log_lines_dropped_total", "counter",
                   "Log lines dropped because the reader of the log was too slow.");
  exposition_value (body, "pruned_log_lines_dropped_total", "", (double)log_queue_dropped ());
  process_add (body);
  g_string_append (body, pages->labels);
  add_running (body);
  add_tables (pages, body);
  return 200;
}

static int
answer_health (GString *body, gpointer data)
{
  gboolean alive = engine_is_alive ();
  g_string_append (body, alive ? "ok\n" : "not healthy: the poll thread does not answer\n");
  return alive ? 200 : 503;
}

static gboolean
database_answers (Pages *pages, GError **error)
{
  if (!take_turn (&pages->ready)) {
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
                 "PostgreSQL does not answer: other requests are waiting for it");
    return FALSE;
  }
  Pg *pg = pages->ready.pg;
  gint64 now_us;
  gboolean answers = pg_begin_read_only (pg, error) && pg_now_us (pg, &now_us, error);
  if (!answers)
    g_prefix_error (error, "PostgreSQL does not answer: ");
  pg_rollback (pg);
  if (answers && pg_is_read_only (pg)) {
    answers = FALSE;
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "PostgreSQL is read-only");
    pg_close (pg); /* a later session can be writable */
  }
  pthread_mutex_unlock (&pages->ready.lock);
  return answers;
}

static int
answer_ready (GString *body, gpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean ready = engine_is_ready () && engine_is_alive () && database_answers (data, &error);
  if (ready)
    g_string_append (body, "ready\n");
  else if (error != NULL)
    g_string_append_printf (body, "not ready: %s\n", error->message);
  else
    g_string_append (body, "not ready: no partitions, or Kafka is away\n");
  return ready ? 200 : 503;
}

static const WebPage PAGES[] = { { "/metrics", "text/plain; version=0.0.4", answer_metrics },
                                 { "/healthz", "text/plain", answer_health, .always = TRUE },
                                 { "/readyz", "text/plain", answer_ready, .always = TRUE },
                                 { NULL } };

/* Counters exist from the start with 0: rate() does not count a counter that begins at 1. */
static void
show_zeros (const Config *config, const Jobs *jobs)
{
  static const char *const states[] = { "finished", "dead", "skipped" }, *const locks[]
                                                                         = { "40P01", "40001",
                                                                             "55P03" };
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const char *job = jobs_at (jobs, i)->name;
    for (guint j = 0; j < G_N_ELEMENTS (states); j++)
      stats_show (STATS_RUNS, job, states[j]);
    for (guint j = 0; j < G_N_ELEMENTS (locks); j++)
      stats_show (STATS_FAILURES, job, locks[j]);
    stats_show (STATS_ERRORS, job, NULL);
    stats_show (STATS_ROWS, job, "failed");
    stats_show (STATS_STEP_SECONDS, job, NULL);
    for (ThrottleReason reason = 0; reason < THROTTLE_N; reason++)
      stats_show (STATS_THROTTLED, job, throttle_words[reason]);
  }
  if (*config_text (config, "postgres", "replica_url") != '\0')
    replica_show_zeros ();
  if (jobs_find (jobs, "ci.delete_objects") == NULL)
    return;
  stats_show (STATS_OBJECTS, "false", NULL);
  stats_show (STATS_OBJECTS, "true", NULL);
  stats_show (STATS_OBJECT_AGE, NULL, NULL);
}

static void
line_open (Line *line, const Config *config)
{
  pthread_mutex_init (&line->lock, NULL);
  line->pg = pg_new (&(PgSettings){
      config_text (config, "postgres", "url"), config_text (config, "postgres", "app_schema"),
      config_bool (config, "postgres", "prepare"), "pruned http", ANSWER_MS });
}

static void
line_close (Line *line)
{
  pg_free (line->pg);
  pthread_mutex_destroy (&line->lock);
}

Pages *
pages_start (const Config *config, const Jobs *jobs, GError **error)
{
  const char *listen = config_text (config, "http", "listen");
  if (*listen == '\0')
    return NULL;
  Pages *pages = g_new0 (Pages, 1);
  pages->all = jobs;
  pages->labels = info_of (jobs);
  line_open (&pages->figures, config);
  line_open (&pages->ready, config);
  pages->state = state_new (jobs, pages->figures.pg);
  show_zeros (config, jobs);
  pages->web = web_start (listen, PAGES, pages, error);
  if (pages->web != NULL)
    return pages;
  pages_stop (pages);
  return NULL;
}

void
pages_stop (Pages *pages)
{
  if (pages == NULL)
    return;
  web_stop (pages->web);
  state_free (pages->state);
  line_close (&pages->figures);
  line_close (&pages->ready);
  g_free (pages->labels);
  g_free (pages);
}
