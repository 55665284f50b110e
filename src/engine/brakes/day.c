/* The rows of a day, and of an hour of events: what gives them, and what takes them.
 *
 * Length: both halves share Take, and are only understood beside each other.
 */
#include "engine/brakes/day.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/whole.h"

#include <pthread.h>

#define SQL "src/engine/brakes/sql/"
#define EVENTS_KEY " events" /* behind the name of the job; no name of a job has a space */
#define EVENTS_MOST (LIMIT_MOST / 4)

/* --- what this process was given, by key: a job's, or that of its runs that events start --- */

typedef struct {
  char *label;     /* of the count */
  gint64 stamp;    /* of the limits with which it was asked for */
  gint64 left;     /* rows that nobody has taken */
  gint64 until_us; /* monotonic: the count is fresh */
  gboolean tight;  /* a step was refused */
} Day;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *days; /* key -> Day; under the lock */

static void
day_free (gpointer data)
{
  Day *day = data;
  g_free (day->label);
  g_free (day);
}

/* Under the lock. */
static Day *
day_of (const char *key)
{
  if (days == NULL)
    days = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, day_free);
  Day *day = g_hash_table_lookup (days, key);
  if (day == NULL) {
    day = g_new0 (Day, 1);
    g_hash_table_insert (days, g_strdup (key), day);
  }
  return day;
}

/* Whether the next step must count the rows of KEY: the first step of the process, the first one
 * after a while or with another limit (STAMP), and one that follows a refused step. *LEFT: ROWS are
 * left of what was given. */
static gboolean
day_given_is_to_count (const char *key, gint64 stamp, gint64 rows, gboolean *left)
{
  pthread_mutex_lock (&lock);
  const Day *day = day_of (key);
  gboolean count = day->label == NULL || day->tight || day->stamp != stamp
                   || clock_monotonic_us () >= day->until_us;
  *left = day->left >= rows;
  pthread_mutex_unlock (&lock);
  return count;
}

/* Takes ROWS from what was given. FALSE: it is less, or the count LABEL did not give it. */
static gboolean
day_given_spend (const char *key, const char *label, gint64 rows)
{
  pthread_mutex_lock (&lock);
  Day *day = day_of (key);
  gboolean spent = g_strcmp0 (day->label, label) == 0 && day->left >= rows;
  if (spent)
    day->left -= rows;
  pthread_mutex_unlock (&lock);
  return spent;
}

/* A step was refused. */
static void
day_given_note_tight (const char *key)
{
  pthread_mutex_lock (&lock);
  day_of (key)->tight = TRUE;
  pthread_mutex_unlock (&lock);
}

static gboolean
day_given_is_tight (const char *key)
{
  pthread_mutex_lock (&lock);
  const Day *day = day_of (key);
  const gboolean tight = day->tight;
  pthread_mutex_unlock (&lock);
  return tight;
}

/* After the commit: GIVEN is for the process. Takes its label. */
static void
day_given_keep (DayGiven *given)
{
  pthread_mutex_lock (&lock);
  Day *day = day_of (given->key);
  if (g_strcmp0 (day->label, given->label) != 0) {
    g_free (day->label);
    day->label = g_steal_pointer (&given->label);
    day->left = 0;
  }
  day->left += given->rows;
  day->stamp = given->stamp;
  day->until_us = clock_monotonic_us () + given->fresh_us - given->age_us;
  day->tight = FALSE;
  pthread_mutex_unlock (&lock);
}

/* --- what is taken --- */

/* Rows are counted again after this time, for processes that have another limit, or none. A count
 * of runs that events start reads the runs themselves. */
static const gint64 FRESH_US[DAY_KINDS] = { 60 * G_USEC_PER_SEC, 600 * G_USEC_PER_SEC };

void
day_allowance_clear (DayAllowance *allowance)
{
  for (guint i = 0; i < DAY_KINDS; i++) {
    g_clear_pointer (&allowance->given[i].key, g_free);
    g_clear_pointer (&allowance->given[i].label, g_free);
  }
}

void
day_took (DayAllowance *allowance)
{
  for (guint i = 0; i < DAY_KINDS; i++)
    if (allowance->given[i].label != NULL)
      day_given_keep (&allowance->given[i]);
}

/* --- what the database gives --- */

typedef enum { TAKEN, TAKE_AGAIN, EXCEEDED } Taken;

typedef enum { OF_ALL, OF_EVENTS } Kind;

typedef struct {
  Step *step; /* whose transaction it is */
  Kind kind;
  const char *key;
  gint64 most, rows;
  gint64 own;         /* of these: rows of the job's table */
  gint64 stamp;       /* of the limits */
  gboolean whatever;  /* rows of an approved run: they are not refused */
  const char *leases; /* the run that leases them; NULL: none */
  DayAllowance *allowance;
} Take;

static void
note_allowance (const Take *take, const PgRows *rows)
{
  take->allowance->given[take->kind] = (DayGiven){ g_strdup (take->key),
                                                   g_strdup (rows_text (rows, 0, "label")),
                                                   take->stamp,
                                                   rows_int (rows, 0, "portion"),
                                                   rows_int (rows, 0, "age_us"),
                                                   FRESH_US[take->kind] };
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
  pg_values_set (values, "job", take->key);
  pg_values_int (values, "rows", take->rows);
  pg_values_int (values, "most", take->most);
  pg_values_int (values, "parts", parts (take));
  pg_values_int (values, "fresh_us", FRESH_US[take->kind]);
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
    if (rows_count (holds) > 0
        && day_given_spend (take->key, rows_text (holds, 0, "label"), take->rows))
      return TRUE;
    rows = pg_run_file (pg, SQL "day_give.sql", values, error);
  } else
    rows = behind_lock (pg, SQL "day_give.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0)
    note_allowance (take, rows);
  else { /* a shared lock cannot become an exclusive one */
    day_given_note_tight (take->key);
    *taken = TAKE_AGAIN;
  }
  return TRUE;
}

/* How many rows are left behind those that are taken; below 0: fewer than these are left. */
static gboolean
read_left (const Take *take, gint64 *left, GError **error)
{
  Step *step = take->step;
  gint64 sum;
  if (take->kind == OF_ALL) {
    if (!day_sum (step, NULL, take->leases, &sum, error))
      return FALSE;
    *left = take->most - sum - take->rows;
    return TRUE;
  }
  StepEvents events;
  if (!event_limits_read (step, NULL, take->leases, take->own, &events, error))
    return FALSE;
  *left = MIN (MIN (events.hour - take->rows, events.day - take->own), take->most);
  events.limit = event_limits_exceeded (&events, take->rows, take->own);
  step->events = events;
  return TRUE;
}

static gboolean
take_counted (const Take *take, Taken *taken, GError **error)
{
  Step *step = take->step;
  gint64 left;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", take->key);
  g_autoptr (PgRows) locked = pg_run_file (step->pg, SQL "day_alone.sql", values, error);
  if (locked == NULL || !read_left (take, &left, error))
    return FALSE;
  *taken = left >= 0 || take->whatever ? TAKEN : EXCEEDED;
  if (*taken == EXCEEDED) {
    day_given_note_tight (take->key);
    return TRUE;
  }
  const gint64 allowance = MAX (0, left) / parts (take);
  pg_values_int (values, "given", take->most - left + allowance);
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
  if (day_given_is_to_count (take->key, take->stamp, take->rows, &left))
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
  step_set_again (step, taken == TAKE_AGAIN && !step->shared);
  if (taken == EXCEEDED && step->shared)
    return step_fail (step, error, PRUNED_BUSY, "the limit of a day is near; tried again alone");
  if (taken == EXCEEDED)
    step_set_brake (step, step->finds & FINDS_BESIDE ? BRAKE_RANGES : BRAKE_COUNT);
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

static char *
events_key (const Step *step)
{
  return g_strconcat (step->job->name, EVENTS_KEY, NULL);
}

/* The rows of STEP, *OWN of them of the job's table; without those that its lease has taken.
 * LEASED: it takes them now. */
static gint64
rows_of (const Step *step, gboolean leased, gint64 *own)
{
  *own = leased ? step->tried : 0;
  return leased ? day_leased (step) : MAX (0, step->rows + step->children->len - step->leased);
}

/* Of STEPS, those whose runs events have started. LEASED: rows that go later. */
static void
add_events (Step *const *steps, guint n, gboolean leased, Take *take)
{
  for (guint i = 0; i < n; i++) {
    const Step *step = steps[i];
    gint64 own, rows = rows_of (step, leased, &own);
    if (!(step->finds & FINDS_FOR_EVENT) || !event_limits_are_of (step))
      continue;
    if (!step->job->kind->errand)
      whole_taken (step, &rows, &own);
    take->rows += rows;
    take->own += own;
  }
}

static Take
take_of_events (Step *const *steps, guint n, const char *key, gboolean leased,
                DayAllowance *allowance)
{
  Take take = { .step = steps[0],
                .kind = OF_EVENTS,
                .key = key,
                .most = EVENTS_MOST,
                .stamp = in_force_number (),
                .leases = leased && n == 1 ? steps[0]->run->run_id : NULL,
                .allowance = allowance };
  add_events (steps, n, leased, &take);
  return take;
}

static Take
take_of_all (Step *const *steps, guint n, gboolean leased, DayAllowance *allowance)
{
  Take take = { .step = steps[0],
                .kind = OF_ALL,
                .key = steps[0]->job->name,
                .most = limit_of (steps[0]),
                .stamp = limit_of (steps[0]),
                .whatever = run_is_approved (steps[0]->run),
                .leases = leased && n == 1 ? steps[0]->run->run_id : NULL,
                .allowance = allowance };
  for (guint i = 0; i < n; i++) {
    gint64 own, rows = rows_of (steps[i], leased, &own);
    if (!leased && steps[i]->job->large != NULL && whole_is_of_day (steps[i]))
      whole_taken (steps[i], &rows, &own);
    take.rows += rows;
    take.whatever &= leased || !steps[i]->shared;
  }
  return take;
}

gboolean
day_take (const GPtrArray *steps, DayAllowance *allowance, GError **error)
{
  Step *const *all = (Step *const *)steps->pdata;
  g_autofree char *key = events_key (all[0]);
  const Take takes[] = { take_of_all (all, steps->len, FALSE, allowance),
                         take_of_events (all, steps->len, key, FALSE, allowance) };
  for (guint i = 0; i < G_N_ELEMENTS (takes); i++)
    if (takes[i].most >= 0 && takes[i].rows > 0 && !take_or_refuse (&takes[i], error))
      return FALSE;
  return TRUE;
}

gint64
day_leased (const Step *step)
{
  return MAX (step->tried, step->rows);
}

/* A lease of fewer rows can be within what is left; but how many rows go beside which is not known.
 */
static gboolean
is_beside (const Take *take)
{
  return take->rows > take->step->tried;
}

static gboolean
take_leased (const Take *take, guint n, GError **error)
{
  Taken taken;
  gboolean left;
  if (take->most < 0 || take->rows == 0)
    return TRUE;
  if (n > 1 && day_given_is_to_count (take->key, take->stamp, take->rows, &left))
    return refuse (take, TAKE_AGAIN, error);
  if (!take_rows (take, &taken, error))
    return FALSE;
  FAULT ("day.taken");
  return taken == TAKEN || refuse (take, is_beside (take) ? taken : TAKE_AGAIN, error);
}

gboolean
day_take_leased (Step *const *steps, guint n, DayAllowance *allowance, GError **error)
{
  g_autofree char *key = events_key (steps[0]);
  const Take all = take_of_all (steps, n, TRUE, allowance),
             events = take_of_events (steps, n, key, TRUE, allowance);
  return take_leased (&all, n, error) && take_leased (&events, n, error);
}

gboolean
day_sum (Step *step, const char *but, const char *leases, gint64 *sum, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_set (values, "but", but);
  pg_values_set (values, "leases", leases);
  pg_values_set (values, "counted", step->job->large != NULL ? "t" : "f");
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "day.sql", values, error);
  if (rows != NULL)
    *sum = rows_int (rows, 0, "rows");
  return rows != NULL;
}

static gboolean
room_of_events (Step *step, gint64 *room, GError **error)
{
  const char *run_id = step->run->run_id;
  g_autofree char *key = events_key (step);
  StepEvents events;
  if (!event_limits_are_of (step) || !day_given_is_tight (key))
    return TRUE;
  if (!event_limits_read (step, run_id, run_id, 0, &events, error))
    return FALSE;
  *room = MIN (*room, MAX (0, MIN (events.hour, events.day)));
  return TRUE;
}

gboolean
day_room (Step *step, gint64 *room, GError **error)
{
  const char *run_id = step->run->run_id;
  const gint64 most = limit_of (step);
  gint64 others;
  *room = LIMIT_NONE;
  if (most >= 0 && day_given_is_tight (step->job->name)) {
    if (!day_sum (step, run_id, run_id, &others, error))
      return FALSE;
    *room = MAX (0, most - others);
  }
  return room_of_events (step, room, error);
}
