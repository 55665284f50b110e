#include "engine/brakes/day.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/step/ranges.h"

#include <pthread.h>

#define SQL "src/engine/brakes/sql/"
/* Rows are counted again after this time, for processes that have another limit, or none. */
#define FRESH_US (60 * G_USEC_PER_SEC)

/* --- what this process was given --- */

typedef struct {
  char *label;     /* of the count */
  gint64 most;     /* the limit with which it was asked for */
  gint64 left;     /* rows that nobody has taken */
  gint64 until_us; /* monotonic: the count is fresh */
  gboolean tight;  /* a step was refused */
} Day;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *days; /* job -> Day; under the lock */

static void
day_free (gpointer data)
{
  Day *day = data;
  g_free (day->label);
  g_free (day);
}

/* Under the lock. */
static Day *
day_of (const char *job)
{
  if (days == NULL)
    days = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, day_free);
  Day *day = g_hash_table_lookup (days, job);
  if (day == NULL) {
    day = g_new0 (Day, 1);
    g_hash_table_insert (days, g_strdup (job), day);
  }
  return day;
}

/* Whether the next step must count the rows of the day: the first step of the process, the first
 * one after a while or with another limit, and one that follows a refused step. */
static gboolean
is_to_count (const char *job, gint64 most, gint64 rows, gboolean *left)
{
  pthread_mutex_lock (&lock);
  const Day *day = day_of (job);
  gboolean count = day->label == NULL || day->tight || day->most != most
                   || clock_monotonic_us () >= day->until_us;
  *left = day->left >= rows;
  pthread_mutex_unlock (&lock);
  return count;
}

/* Takes ROWS from the allowance. FALSE: it is less than ROWS, or the count LABEL did not give it.
 */
static gboolean
spend (const char *job, const char *label, gint64 rows)
{
  pthread_mutex_lock (&lock);
  Day *day = day_of (job);
  gboolean spent = g_strcmp0 (day->label, label) == 0 && day->left >= rows;
  if (spent)
    day->left -= rows;
  pthread_mutex_unlock (&lock);
  return spent;
}

static void
note_tight (const char *job)
{
  pthread_mutex_lock (&lock);
  day_of (job)->tight = TRUE;
  pthread_mutex_unlock (&lock);
}

static gboolean
is_tight (const char *job)
{
  pthread_mutex_lock (&lock);
  const Day *day = day_of (job);
  const gboolean tight = day->tight;
  pthread_mutex_unlock (&lock);
  return tight;
}

void
day_allowance_clear (DayAllowance *allowance)
{
  g_clear_pointer (&allowance->job, g_free);
  g_clear_pointer (&allowance->label, g_free);
}

void
day_took (DayAllowance *allowance)
{
  if (allowance->label == NULL)
    return;
  pthread_mutex_lock (&lock);
  Day *day = day_of (allowance->job);
  if (g_strcmp0 (day->label, allowance->label) != 0) {
    g_free (day->label);
    day->label = g_steal_pointer (&allowance->label);
    day->left = 0;
  }
  day->left += allowance->rows;
  day->most = allowance->most;
  day->until_us = clock_monotonic_us () + FRESH_US - allowance->age_us;
  day->tight = FALSE;
  pthread_mutex_unlock (&lock);
}

/* --- what the database gives --- */

typedef enum { TAKEN, TAKE_AGAIN, EXCEEDED } Taken;

typedef struct {
  Step *step; /* whose transaction it is */
  const char *job;
  gint64 most, rows;
  gboolean whatever;  /* rows of an approved run: they are not refused */
  const char *leases; /* the run that leases them; NULL: none */
  DayAllowance *allowance;
} Take;

static void
note_allowance (const Take *take, const PgRows *rows)
{
  *take->allowance = (DayAllowance){ g_strdup (take->job),
                                     g_strdup (rows_text (rows, 0, "label")),
                                     take->most,
                                     rows_int (rows, 0, "portion"),
                                     rows_int (rows, 0, "age_us"),
                                     FALSE };
}

/* All lanes together are given half of what is left. */
static gint64
parts (const Take *take)
{
  return 2 * (gint64)job_partitions (take->step->job);
}

static PgValues *
give_values (const Take *take)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "job", take->job);
  pg_values_int (values, "rows", take->rows);
  pg_values_int (values, "most", take->most);
  pg_values_int (values, "parts", parts (take));
  pg_values_int (values, "fresh_us", FRESH_US);
  return values;
}

/* The lock, and behind it one statement, in one round trip. */
static PgRows *
behind_lock (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  if (!pg_queue (pg, pg_statement (SQL "day_share.sql"), values, error)
      || !pg_queue (pg, pg_statement (file), values, error) || !pg_flush (pg, error))
    return NULL;
  g_autoptr (PgRows) locked = pg_next (pg, error);
  PgRows *rows = locked != NULL ? pg_next (pg, error) : NULL;
  if (rows != NULL && !pg_finish (pg, error))
    g_clear_pointer (&rows, rows_free);
  return rows;
}

static gboolean
take_given (const Take *take, gboolean left, Taken *taken, GError **error)
{
  Pg *pg = take->step->pg;
  g_autoptr (PgValues) values = give_values (take);
  g_autoptr (PgRows) rows = NULL;
  *taken = TAKEN;
  if (left) {
    g_autoptr (PgRows) holds = behind_lock (pg, SQL "day_label.sql", values, error);
    if (holds == NULL)
      return FALSE;
    if (rows_count (holds) > 0 && spend (take->job, rows_text (holds, 0, "label"), take->rows))
      return TRUE;
    rows = pg_run_file (pg, SQL "day_give.sql", values, error);
  } else
    rows = behind_lock (pg, SQL "day_give.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0)
    note_allowance (take, rows);
  else { /* a shared lock cannot become an exclusive one */
    note_tight (take->job);
    *taken = TAKE_AGAIN;
  }
  return TRUE;
}

static gboolean
take_counted (const Take *take, Taken *taken, GError **error)
{
  Step *step = take->step;
  gint64 sum;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", take->job);
  g_autoptr (PgRows) locked = pg_run_file (step->pg, SQL "day_alone.sql", values, error);
  if (locked == NULL || !day_sum (step, NULL, take->leases, &sum, error))
    return FALSE;
  const gint64 left = take->most - sum - take->rows;
  *taken = left >= 0 || take->whatever ? TAKEN : EXCEEDED;
  if (*taken == EXCEEDED) {
    note_tight (take->job);
    return TRUE;
  }
  const gint64 allowance = MAX (0, left) / parts (take);
  pg_values_int (values, "given", sum + take->rows + allowance);
  pg_values_int (values, "portion", allowance);
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "day_counted.sql", values, error);
  if (rows != NULL)
    note_allowance (take, rows);
  return rows != NULL;
}

static gboolean
take_rows (const Take *take, Taken *taken, GError **error)
{
  gboolean left;
  if (is_to_count (take->job, take->most, take->rows, &left))
    return take_counted (take, taken, error);
  return take_given (take, left, taken, error);
}

/* --- what takes them --- */

/* -1: none. */
static gint64
limit_of (const Step *step)
{
  const JobLimits *limits = &in_force_of (step->job)->limits;
  return limits->approve == APPROVE_NEVER ? -1 : limits->max_rows_per_day;
}

static gboolean
refuse (const Take *take, Taken taken, GError **error)
{
  Step *step = take->step;
  take->allowance->again = taken == TAKE_AGAIN;
  step->again = taken == TAKE_AGAIN && !step->shared;
  if (taken == EXCEEDED && step->shared)
    return step_fail (step, error, PRUNED_BUSY, "the limit of a day is near; tried again alone");
  if (taken == EXCEEDED)
    step->brake = ranges_beside (step->run) ? BRAKE_RANGES : BRAKE_COUNT;
  return step_fail (step, error, PRUNED_BUSY, "the rows of the day are to be counted");
}

static gboolean
take_or_refuse (const Take *take, GError **error)
{
  Taken taken;
  if (!take_rows (take, &taken, error))
    return FALSE;
  if (taken != TAKEN)
    return refuse (take, taken, error);
  FAULT ("day.taken");
  return TRUE;
}

gboolean
day_take (const GPtrArray *steps, DayAllowance *allowance, GError **error)
{
  Step *first = steps->pdata[0];
  Take take = { first, first->job->name, limit_of (first), 0, run_is_approved (first->run),
                NULL,  allowance };
  for (guint i = 0; i < steps->len; i++) {
    const Step *step = steps->pdata[i];
    take.rows += step->rows + step->children->len;
    take.whatever &= !step->shared;
  }
  if (take.most < 0 || take.rows == 0 || job_is_errand (first->job)) /* an errand has leased them */
    return TRUE;
  return take_or_refuse (&take, error);
}

gint64
day_leased (const Step *step)
{
  return MAX (step->tried, step->rows);
}

gboolean
day_take_leased (Step *const *steps, guint n, DayAllowance *allowance, GError **error)
{
  Step *first = steps[0];
  Take take = { first,
                first->job->name,
                limit_of (first),
                0,
                run_is_approved (first->run),
                n == 1 ? first->run->run_id : NULL,
                allowance };
  Taken taken;
  gboolean left;
  for (guint i = 0; i < n; i++)
    take.rows += day_leased (steps[i]);
  if (take.most < 0 || take.rows == 0)
    return TRUE;
  if (n > 1 && is_to_count (take.job, take.most, take.rows, &left))
    return refuse (&take, TAKE_AGAIN, error);
  if (!take_rows (&take, &taken, error))
    return FALSE;
  FAULT ("day.taken");
  return taken == TAKEN || refuse (&take, TAKE_AGAIN, error);
}

gboolean
day_sum (Step *step, const char *but, const char *leases, gint64 *sum, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_set (values, "but", but);
  pg_values_set (values, "leases", leases);
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "day.sql", values, error);
  if (rows != NULL)
    *sum = rows_int (rows, 0, "rows");
  return rows != NULL;
}

gboolean
day_room (Step *step, gint64 *room, GError **error)
{
  const char *run_id = step->run->run_id;
  const gint64 most = limit_of (step);
  gint64 others;
  *room = LIMIT_NONE;
  if (most < 0 || !is_tight (step->job->name))
    return TRUE;
  if (!day_sum (step, run_id, run_id, &others, error))
    return FALSE;
  *room = MAX (0, most - others);
  return TRUE;
}
