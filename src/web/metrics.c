#include "web/metrics.h"

#include "base/log_queue.h"
#include "engine/clock/chores.h"
#include "engine/clock/left_out.h"
#include "engine/clock/letters.h"
#include "engine/engine.h"
#include "engine/job/in_force.h"
#include "engine/notices/notice_address.h"
#include "engine/service/stats.h"
#include "engine/step/replica.h"
#include "engine/step/throttle_look.h"
#include "web/exposition.h"
#include "web/line.h"
#include "web/process.h"
#include "web/state.h"

#include <string.h>

#define APDEX_SECONDS "le=\"43200\""

struct _Metrics {
  Line line;
  State *state; /* of who has taken the line */
};

/* --- what the process has counted --- */

/* The metrics of stats.h while they are written. */
typedef struct {
  GString *body;
  const char *last; /* the metric whose TYPE line was written last */
  double objects, in_time;
} Counters;

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
  Counters *counters = data;
  g_autofree char *family = family_of (name, kind);
  if (g_strcmp0 (family, counters->last) != 0)
    exposition_head (counters->body, family, kind, stats_help (family));
  counters->last = g_intern_string (family);
  exposition_value (counters->body, name, labels, value);
  if (g_str_equal (name, "pruned_object_age_seconds_count"))
    counters->objects = value;
  if (g_str_equal (name, "pruned_object_age_seconds_bucket")
      && strstr (labels, APDEX_SECONDS) != NULL)
    counters->in_time = value;
}

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
    if (jobs_at (jobs, i)->kind->errand)
      stats_show (STATS_ROWS, job, "only_marked");
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

/* --- what it is doing, and its jobs --- */

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
static void
add_info (GString *body, const Jobs *jobs)
{
  exposition_head (body, "pruned_job_info", "gauge",
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
    exposition_value (body, "pruned_job_info", all->str, 1);
  }
}

/* A job that is off is in force. */
static void
add_left_out (GString *body)
{
  g_auto (GStrv) names = left_out_names ();
  exposition_head (body, "pruned_job_left_out", "gauge",
                   "1: the job should be in force, and this process has left it out.");
  for (guint i = 0; i < jobs_count (in_force_jobs ()); i++) {
    g_autofree char *label = exposition_label ("job", jobs_at (in_force_jobs (), i)->name);
    exposition_value (body, "pruned_job_left_out", label, 0);
  }
  for (char **name = names; *name != NULL; name++) {
    g_autofree char *label = exposition_label ("job", *name);
    if (jobs_find (in_force_jobs (), *name) == NULL)
      exposition_value (body, "pruned_job_left_out", label, 1);
  }
}

/* --- the tables --- */

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
                   "The age of the oldest run that is due and has not begun, or waits for a lock.");
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *labels = exposition_label ("job", rows_text (rows, i, "job"));
    exposition_value (body, "pruned_oldest_due_seconds", labels,
                      g_ascii_strtod (rows_text (rows, i, "seconds"), NULL));
  }
}

static const struct {
  const char *file, *name, *kind, *help, *job; /* job: only while it is in force; NULL: always */
  gboolean (*wanted) (const Config *config);   /* by the settings; NULL: always */
} FIGURES[] = {
  { "src/web/sql/oldest_object.sql", "pruned_object_oldest_ready_seconds", "gauge",
    "The age of the oldest object that is ready to be deleted.", "ci.delete_objects" },
  { "src/web/sql/schedules_left.sql", "pruned_member_deletion_schedules", "gauge",
    "Scheduled member removals that are left, at most 1000.", "members.prune_deletions" },
  { "src/web/sql/lost_messages.sql", "pruned_lost_messages_total", "counter",
    "Messages that Kafka dropped before they were read, or that are in a batch that cannot be unpacked." },
  { "src/web/sql/lost_at.sql", "pruned_lost_messages_timestamp_seconds", "gauge",
    "When messages were last lost so; 0: never." },
  { "src/web/sql/notices.sql", "pruned_notices_undelivered", "gauge",
    "Notices that `[notify] url` could not be told yet; absent: none are wanted.",
    .wanted = notice_address_is_set }
};

/* Metrics from the tables. A statement that fails leaves out its metrics; once PostgreSQL is down,
 * no other statement is tried. */
static void
add_tables (Metrics *metrics, GString *body)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (GError) error = NULL;
  pg_values_take (values, "job", in_force_names (TRUE)); /* the runs of the others wait */
  if (!line_take (&metrics->line))
    return;
  gboolean there = state_add (metrics->state, body);
  g_autoptr (PgRows) due
      = there ? ask (metrics->line.pg, "src/web/sql/oldest_due.sql", values, &error) : NULL;
  if (due != NULL)
    add_oldest_due (body, due);
  for (guint i = 0;
       there && i < G_N_ELEMENTS (FIGURES) && (error == NULL || error->code != PRUNED_OUTAGE);
       i++) {
    g_clear_error (&error);
    if ((FIGURES[i].job != NULL && jobs_find (in_force_jobs (), FIGURES[i].job) == NULL)
        || (FIGURES[i].wanted != NULL && !FIGURES[i].wanted (in_force_config ())))
      continue;
    g_autoptr (PgRows) rows = ask (metrics->line.pg, FIGURES[i].file, NULL, &error);
    if (rows == NULL)
      continue;
    exposition_head (body, FIGURES[i].name, FIGURES[i].kind, FIGURES[i].help);
    exposition_value (body, FIGURES[i].name, "",
                      g_ascii_strtod (rows_text (rows, 0, "value"), NULL));
  }
  line_give (&metrics->line);
}

/* --- housekeeping --- */

typedef struct {
  const char *part; /* of the program's text */
  ChoreState state;
} Part;

static void
on_part (const char *part, const ChoreState *state, gpointer data)
{
  const Part one = { part, *state };
  g_array_append_val ((GArray *)data, one);
}

static const struct {
  const char *name, *label, *label2, *help;
} OF_PARTS[] = {
  { "pruned_housekeeping_last_success_timestamp_seconds", "part", NULL,
    "When the part of housekeeping last went well, since the epoch; 0: never." },
  { "pruned_housekeeping_failures", "part", NULL,
    "How often the part of housekeeping has failed since it last went well." },
  { "pruned_housekeeping_seconds", "part", NULL,
    "How long the part of housekeeping took the last time, or has taken by now." },
};

static void
add_chores (GString *body)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  chores_each (on_part, parts);
  for (guint m = 0; m < G_N_ELEMENTS (OF_PARTS); m++) {
    exposition_head (body, OF_PARTS[m].name, "gauge", OF_PARTS[m].help);
    for (guint i = 0; i < parts->len; i++) {
      const Part *one = &g_array_index (parts, Part, i);
      const double values[] = { one->state.well_s, one->state.failures, one->state.takes_s };
      g_autofree char *label = exposition_label (OF_PARTS[m].label, one->part);
      exposition_value (body, OF_PARTS[m].name, label, values[m]);
    }
  }
}

/* --- the page --- */

void
metrics_add (Metrics *metrics, GString *body)
{
  Counters counters = { .body = body };
  stats_each (on_metric, &counters);
  if (counters.objects > 0)
    exposition_gauge (body, "pruned_object_apdex",
                      "The share of the deleted objects that were deleted within 12 hours.",
                      counters.in_time / counters.objects);
  exposition_gauge (body, "pruned_ready", "1: this process has its partitions, and Kafka answers.",
                    engine_is_ready ());
  exposition_gauge (body, "pruned_stopped", "1: everything is stopped, by `pruned stop`.",
                    engine_is_stopped ());
  gint64 letters = letters_waiting ();
  if (letters >= 0)
    exposition_gauge (body, "pruned_dead_letters",
                      "Messages of the dead topic that wait for a verdict.", (double)letters);
  exposition_head (body, "pruned_log_lines_dropped_total", "counter",
                   "Log lines dropped because the reader of the log was too slow.");
  exposition_value (body, "pruned_log_lines_dropped_total", "", (double)log_queue_dropped ());
  process_add (body);
  add_chores (body);
  in_force_renew ();
  add_info (body, in_force_jobs ());
  add_left_out (body);
  add_running (body);
  add_tables (metrics, body);
}

Metrics *
metrics_new (const Config *config, const Jobs *jobs)
{
  Metrics *metrics = g_new0 (Metrics, 1);
  line_open (&metrics->line, config);
  metrics->state = state_new (jobs, metrics->line.pg);
  show_zeros (config, jobs);
  return metrics;
}

void
metrics_free (Metrics *metrics)
{
  if (metrics == NULL)
    return;
  state_free (metrics->state);
  line_close (&metrics->line);
  g_free (metrics);
}
