#include "engine/service/stats.h"

#include <pthread.h>

#define MOST_BUCKETS 16
static const double SECONDS[]
    = { 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300 };
static const double AGES[] = { 3600, 7200, 14400, 28800, 43200, 86400, 172800, 259200, 604800 };
#define HISTOGRAM(buckets) buckets, G_N_ELEMENTS (buckets)

static const struct {
  const char *name, *help, *label, *label2;
  const double *buckets; /* NULL: a counter */
  guint n_buckets;
} STATS[STATS_N] = {
  [STATS_RUNS] = { "pruned_runs_total", "Ended runs, by final state.", "job", "state" },
  [STATS_ROWS] = { "pruned_rows_total", "Rows, by what was done with them.", "job", "action" },
  [STATS_STEPS] = { "pruned_steps_total", "Steps that were committed.", "job", NULL },
  [STATS_STEP_SECONDS]
  = { "pruned_step_seconds", "How long steps took.", "job", NULL, HISTOGRAM (SECONDS) },
  [STATS_START_DELAY]
  = { "pruned_start_delay_seconds", "How long after their due time runs started.", "job", NULL,
      HISTOGRAM (SECONDS) },
  [STATS_MESSAGES]
  = { "pruned_messages_total", "Messages handled, by the kind of their topic.", "topic", NULL },
  [STATS_PASSED_OVER]
  = { "pruned_passed_over_messages_total",
      "Messages of an application's own topic that no event of a job fits.", "topic", NULL },
  [STATS_DEAD_MESSAGES]
  = { "pruned_dead_messages_total",
      "Messages that could not be handled and went to the dead topic.", NULL, NULL },
  [STATS_STALE_MESSAGES]
  = { "pruned_stale_messages_total", "Messages of work that was done already.", "job", NULL },
  [STATS_REPUBLISHED]
  = { "pruned_republished_total", "Messages that were found missing and sent again.", "job", NULL },
  [STATS_FAILURES]
  = { "pruned_failures_total", "Steps that failed, by SQLSTATE or verdict.", "job", "error_class" },
  [STATS_ERRORS]
  = { "pruned_errors_total",
      "Steps that failed, except those that only met a lock or a conflict with other work.",
      "job" },
  [STATS_THROTTLED]
  = { "pruned_throttled_seconds_total",
      "Seconds that runs waited because a threshold of [throttle] was passed.", "job", "reason" },
  [STATS_REPLICA_PAGES]
  = { "pruned_replica_pages_total",
      "Pages of sticky and delayed jobs, by the server that found them: the standby of [postgres] "
      "replica_url, or, for a reason, the primary.",
      "source", "reason" },
  [STATS_OBJECTS] = { "pruned_deleted_objects_total",
                      "Objects to delete, by whether deleting them failed.", "error" },
  [STATS_OBJECT_AGE]
  = { "pruned_object_age_seconds", "How old objects were when they were deleted.", NULL, NULL,
      HISTOGRAM (AGES) },
};

typedef struct {
  char *label, *label2;
  double value; /* the sum, of an observed one */
  guint64 count, buckets[MOST_BUCKETS];
} Series;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *series[STATS_N]; /* "label\nlabel2" -> Series */

/* With the lock. */
static Series *
series_of (Stat stat, const char *label, const char *label2)
{
  if (series[stat] == NULL)
    series[stat] = g_hash_table_new (g_str_hash, g_str_equal);
  char name[256];
  g_snprintf (name, sizeof name, "%s\n%s", label != NULL ? label : "",
              label2 != NULL ? label2 : "");
  Series *found = g_hash_table_lookup (series[stat], name);
  if (found == NULL) {
    found = g_new0 (Series, 1);
    found->label = g_strdup (label);
    found->label2 = g_strdup (label2);
    g_hash_table_insert (series[stat], g_strdup (name), found);
  }
  return found;
}

void
stats_add (Stat stat, const char *label, const char *label2, double n)
{
  pthread_mutex_lock (&lock);
  series_of (stat, label, label2)->value += n;
  pthread_mutex_unlock (&lock);
}

void
stats_show (Stat stat, const char *label, const char *label2)
{
  stats_add (stat, label, label2, 0);
}

void
stats_observe (Stat stat, const char *label, double seconds)
{
  pthread_mutex_lock (&lock);
  Series *one = series_of (stat, label, NULL);
  one->value += seconds;
  one->count++;
  for (guint i = 0; i < STATS[stat].n_buckets; i++)
    one->buckets[i] += seconds <= STATS[stat].buckets[i];
  pthread_mutex_unlock (&lock);
}

double
stats_get (Stat stat, const char *label, const char *label2)
{
  double sum = 0;
  GHashTableIter iter;
  gpointer one;
  pthread_mutex_lock (&lock);
  if (series[stat] != NULL) {
    g_hash_table_iter_init (&iter, series[stat]);
    while (g_hash_table_iter_next (&iter, NULL, &one))
      if ((label == NULL || g_strcmp0 (((Series *)one)->label, label) == 0)
          && (label2 == NULL || g_strcmp0 (((Series *)one)->label2, label2) == 0))
        sum += ((Series *)one)->value;
  }
  pthread_mutex_unlock (&lock);
  return sum;
}

const char *
stats_help (const char *name)
{
  for (Stat stat = 0; stat < STATS_N; stat++)
    if (g_str_equal (STATS[stat].name, name))
      return STATS[stat].help;
  return "";
}

static char *
labels_of (Stat stat, const Series *one)
{
  GString *text = g_string_new (NULL);
  if (STATS[stat].label != NULL)
    g_string_append_printf (text, "%s=\"%s\"", STATS[stat].label, one->label);
  if (STATS[stat].label2 != NULL)
    g_string_append_printf (text, ",%s=\"%s\"", STATS[stat].label2, one->label2);
  return g_string_free (text, FALSE);
}

static void
each_observed (Stat stat, const Series *one, const char *labels, StatsVisit visit, gpointer data)
{
  g_autofree char *bucket = g_strconcat (STATS[stat].name, "_bucket", NULL);
  g_autofree char *sum = g_strconcat (STATS[stat].name, "_sum", NULL);
  g_autofree char *count = g_strconcat (STATS[stat].name, "_count", NULL);
  for (guint i = 0; i < STATS[stat].n_buckets; i++) {
    g_autofree char *with
        = g_strdup_printf ("%s%sle=\"%g\"", labels, *labels ? "," : "", STATS[stat].buckets[i]);
    visit (bucket, "histogram", with, (double)one->buckets[i], data);
  }
  g_autofree char *all = g_strdup_printf ("%s%sle=\"+Inf\"", labels, *labels ? "," : "");
  visit (bucket, "histogram", all, (double)one->count, data);
  visit (sum, "histogram", labels, one->value, data);
  visit (count, "histogram", labels, (double)one->count, data);
}

void
stats_each (StatsVisit visit, gpointer data)
{
  pthread_mutex_lock (&lock);
  for (Stat stat = 0; stat < STATS_N; stat++) {
    if (series[stat] == NULL)
      continue;
    GHashTableIter iter;
    gpointer one;
    g_hash_table_iter_init (&iter, series[stat]);
    while (g_hash_table_iter_next (&iter, NULL, &one)) {
      g_autofree char *labels = labels_of (stat, one);
      if (STATS[stat].buckets != NULL)
        each_observed (stat, one, labels, visit, data);
      else
        visit (STATS[stat].name, "counter", labels, ((Series *)one)->value, data);
    }
  }
  pthread_mutex_unlock (&lock);
}
