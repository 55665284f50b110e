#include "engine/brakes/bound.h"

#include "engine/brakes/count.h"
#include "engine/job/in_force.h"

#include <pthread.h>

#define MOST 1000 /* runs; beyond it they are read again */

typedef struct {
  guint settings; /* number of those in force */
  const Job *job; /* of a sentence the copy that was made from the catalogue as it was; compared */
  gint64 limit;
} Known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *runs; /* id -> Known; under the lock */

/* -1: not read with the settings in force, nor of the tables as they are. */
static gint64
known_limit (const Step *step)
{
  pthread_mutex_lock (&lock);
  const Known *known = runs != NULL ? g_hash_table_lookup (runs, step->run->run_id) : NULL;
  const gint64 limit
      = known != NULL && known->settings == in_force_number () && known->job == step->job
            ? known->limit
            : -1;
  pthread_mutex_unlock (&lock);
  return limit;
}

void
bound_note (const Step *step, gint64 limit)
{
  Known *known = g_new (Known, 1);
  *known = (Known){ in_force_number (), step->job, limit };
  pthread_mutex_lock (&lock);
  if (runs == NULL)
    runs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (g_hash_table_size (runs) >= MOST)
    g_hash_table_remove_all (runs);
  g_hash_table_insert (runs, g_strdup (step->run->run_id), known);
  pthread_mutex_unlock (&lock);
}

void
bound_remember (Step *step, RowLimits limits)
{
  limits.day = LIMIT_NONE; /* each transaction takes its rows (day.h) */
  step->limited = MIN (limits_least (&limits), LIMIT_MOST);
  bound_note (step, step->limited);
}

gint64
bound_below (const Step *step)
{
  return count_below_before (step) + step->below;
}

/* Share and ratio of a run that may change KNOWN rows; -1: that is not known. They are read again,
 * once, if other settings are in force than those that KNOWN comes from, or the tables are others.
 * The rows that the run has removed count as rows of the table, and the result is never above
 * KNOWN. */
static gboolean
read_others (Step *step, gint64 rows, gint64 known, RowLimits *limits, GError **error)
{
  const Run *run = step->run;
  const gint64 here = step->limited >= 0 ? step->limited : known_limit (step);
  if (known >= 0 && here >= 0)
    limits->share = MIN (known, here);
  else if (known >= 0
           || run->rows_done + rows > share_free_rows (&in_force_of (step->job)->limits)) {
    if (!limits_read (step, bound_below (step), count_own_rows (step->counts), limits, error))
      return FALSE;
    if (known >= 0) {
      limits_add_gone (step, limits);
      limits->share = MIN (limits->share, known);
    }
    bound_remember (step, *limits);
  }
  return TRUE;
}

gboolean
bound_find (Step *step, gint64 rows, gint64 *bound, GError **error)
{
  const JobLimits *set = &in_force_of (step->job)->limits;
  RowLimits limits
      = { set->max_rows >= 0 ? set->max_rows : LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE };
  const gint64 known = step->limited >= 0 ? step->limited : step->run->rows_limit;
  if ((set->max_share >= 0 || set->max_ratio >= 0)
      && !read_others (step, rows, known, &limits, error))
    return FALSE;
  const gint64 least = limits_least (&limits);
  *bound = least < LIMIT_MOST ? least : LIMIT_NONE;
  return TRUE;
}
