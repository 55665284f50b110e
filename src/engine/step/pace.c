#include "engine/step/pace.h"

#include "base/clock.h"
#include "engine/job/in_force.h"

#include <pthread.h>

#define LEAST_US (2 * G_USEC_PER_SEC)
/* Of the first step of a shared transaction, and of those behind it: these wait for a lock for 100
 * ms at most, so that they are gone before an application that waits for them looks for a deadlock.
 */
#define FIRST_US (10 * G_USEC_PER_SEC)
#define NEXT_US (500 * G_TIME_SPAN_MILLISECOND)
#define COLUMN "audit_bytes" /* of job_files_audit.c */

/* --- how wide its rows are --- */

/* Under the lock. */
static GHashTable *rows_of; /* name of a job -> bytes of a row */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

gint64
pace_weight_rows (gint64 had, gint64 bytes, gint64 most)
{
  if (had <= 0 || bytes <= 0)
    return G_MAXINT64;
  return MAX (1, (gint64)((double)had * (double)most / (double)bytes));
}

gint64
pace_weight_of_row (gint64 before, gint64 had, gint64 bytes)
{
  return had > 0 ? MAX (bytes / had, before / 2) : before;
}

static gint64
page_bytes (const Step *step)
{
  return step_setting (step, "page_bytes");
}

/* A job in C counts rows of several tables, and one with portions rows below a row: for these the
 * run's limit says enough. */
static gboolean
is_remembered (const Job *job)
{
  return job->code == NULL && job->large == NULL;
}

static gint64
remembered (const Job *job)
{
  pthread_mutex_lock (&lock);
  const gint64 *bytes = rows_of != NULL ? g_hash_table_lookup (rows_of, job->name) : NULL;
  const gint64 found = bytes != NULL ? *bytes : 0;
  pthread_mutex_unlock (&lock);
  return found;
}

static void
remember (const Step *step, gint64 had)
{
  if (!is_remembered (step->job) || had <= 0 || step->bytes <= 0)
    return;
  const gint64 bytes = pace_weight_of_row (remembered (step->job), had, step->bytes);
  pthread_mutex_lock (&lock);
  if (rows_of == NULL)
    rows_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  gint64 *known = g_hash_table_lookup (rows_of, step->job->name);
  if (known == NULL)
    g_hash_table_insert (rows_of, g_strdup (step->job->name), known = g_new0 (gint64, 1));
  *known = bytes;
  pthread_mutex_unlock (&lock);
}

/* Sets how many rows the page of RUN may have; any, if nothing is known of its job. */
static void
set_fits (Run *run)
{
  run->fits = 0;
  if (!is_remembered (run->job))
    return;
  const gint64 rows = pace_weight_rows (
      1, remembered (run->job), config_job_int (in_force_config (), run->job->name, "page_bytes"));
  run->fits = rows < G_MAXINT64 ? rows : 0;
}

/* What cannot be cut is done as it is. */
gint64
pace_weight_most (const Step *step)
{
  const gboolean least = step->tried == 1 || step->run->progress.limit == 1;
  return step->most > 0 && (step->many || !least) ? page_bytes (step) : G_MAXINT64;
}

gboolean
pace_weight_take (Step *step, const PgRows *rows, GError **error)
{
  const int column = rows_count (rows) > 0 ? rows_column (rows, COLUMN) : -1;
  const gint64 bytes = column >= 0 ? rows_int (rows, 0, COLUMN) : 0; /* of narrow rows NULL */
  if (bytes < 0)
    return step_fail (step, error, PRUNED_RETRY,
                      "rows that went are not in the audit: a trigger or a rule of "
                      "pruned.deletions keeps them out, or a file returns rows of no run");
  if (!step->many) /* else they are of several runs */
    step->bytes += column >= 0 ? MAX (1, bytes) : 0;
  if (bytes <= pace_weight_most (step))
    return TRUE;
  step->too_wide = TRUE;
  remember (step, step->tried);
  return step_fail (step, error, PRUNED_RETRY,
                    "the rows are %" G_GINT64_FORMAT " bytes, more than page_bytes", bytes);
}

void
pace_weight_begin_try (Step *step)
{
  step->bytes = 0;
}

void
pace_weight_is_too_much (Step *step)
{
  step->too_wide = TRUE;
}

gint64
pace_weight_fits (const Step *step)
{
  return pace_weight_rows (step->tried, step->bytes, page_bytes (step));
}

/* STEP is done: remembers what its rows weighed. Returns how many of such rows fit into a page. */
static gint64
note_weight (const Step *step)
{
  remember (step, step->had);
  return pace_weight_rows (step->had, step->bytes, page_bytes (step));
}

/* --- how many it has --- */

gint64
pace_limit_within (const Run *run, gint64 most)
{
  gint64 limit = run->progress.limit;
  if (run->fits > 0)
    most = MIN (most, run->fits);
  return limit > 0 && limit < most ? limit : most;
}

int
pace_page_limit (const Run *run)
{
  return (int)pace_limit_within (run, in_force_of (run->job)->batch);
}

static gint64
budget_us (const Step *step)
{
  return MIN (step_setting (step, "budget_ms"), PACE_MOST_US / 1000) * 1000;
}

/* They have MOST_US from now on. */
static void
set_time (Step *const *steps, guint n, gint64 most_us)
{
  const gint64 now = clock_monotonic_us ();
  for (guint i = 0; i < n; i++)
    steps[i]->transaction_us = now;
  pg_set_deadline (steps[0]->pg, now + most_us);
}

void
pace_begin (Step *const *steps, guint n)
{
  const Step *first = steps[0];
  for (guint i = 0; i < n; i++)
    set_fits (steps[i]->run);
  const gboolean least = first->run->progress.limit == 1;
  const gint64 most_us = least ? PACE_MOST_US : MAX (budget_us (first), LEAST_US);
  set_time (steps, n, first->shared ? MIN (most_us, FIRST_US) : most_us);
}

gboolean
pace_begin_next (Step *const *steps, guint n, GError **error)
{
  set_time (steps, n, NEXT_US);
  return pg_exec_later (steps[0]->pg, "SET LOCAL lock_timeout = '100ms'", error);
}

gint64
pace_end (Step *const *steps, guint n, gint64 began_us)
{
  const gint64 took_us = clock_monotonic_us () - began_us;
  for (guint i = 0; i < n; i++)
    steps[i]->took_us = MAX (1, took_us / n);
  return took_us;
}

void
pace_divide (Step *const *steps, guint n, gint64 began_us)
{
  const gint64 now = clock_monotonic_us (), own = (now - began_us) / n;
  for (guint i = 0; i < n; i++)
    steps[i]->transaction_us = now - own;
}

void
pace_settle (const Step *first)
{
  pg_set_deadline (first->pg, clock_monotonic_us () + LEAST_US);
}

gint64
pace_less (const Step *step)
{
  if (step->most == 0 || step->run->progress.limit == 1)
    return 0;
  gint64 limit = pace_limit_within (step->run, step->most);
  return MAX (1, step->tried > 0 ? MIN (step->tried, limit) / 2 : limit / 4);
}

gboolean
pace_is_too_slow (const Step *step, const GError *cause)
{
  return cause->code == PRUNED_RETRY && g_str_equal (pg_sqlstate (step->pg), "57014");
}

/* The time that a step may take without the next page being smaller: what cuts it bounds it. */
static gint64
goal_us (const Step *step)
{
  return MIN (step_setting (step, "target_step_ms") * 1000, MAX (budget_us (step), LEAST_US));
}

gint64
pace_next_limit (gint64 limit, gint64 had, gint64 most, gint64 took_us, gint64 goal)
{
  if (took_us > goal)
    return MAX (1, (had > 0 ? MIN (limit, had) : limit) / 2);
  if (took_us < goal / 2)
    return limit + CLAMP (most / 10, 1, limit);
  return limit;
}

void
pace_continue (Step *step)
{
  if (step->busy_items->len > 0 || step->held)
    return; /* it has waited for locks, and had fewer rows: that says nothing about the others */
  const gint64 fits = note_weight (step);
  if (step->most <= 0 || !step->continues)
    return;
  gint64 took_us = step->took_us > 0 ? step->took_us : clock_monotonic_us () - step->transaction_us;
  gint64 limit = pace_next_limit (pace_limit_within (step->run, step->most), step->had, step->most,
                                  took_us, goal_us (step));
  limit = MIN (limit, fits);
  step->next.limit = limit < step->most ? limit : 0;
}

gint64
pace_back_off_ms (int n)
{
  n = CLAMP (n, 0, 1000);
  return 1000 * ((gint64)n * n * n * n + 15 + (gint64)g_random_int_range (0, 10) * (n + 1));
}

/* --- what jobs see of it (pruned/job.h) --- */

gint64
step_limit (Step *step, gint64 most)
{
  step->most = most;
  return pace_limit_within (step->run, most);
}

gint64
step_room (const Step *step)
{
  return step->room >= 0 ? step->room : G_MAXINT64;
}

gboolean
step_is_cut (const Step *step)
{
  return step->run->progress.limit > 0;
}

void
step_tries (Step *step, gint64 rows)
{
  step->tried = rows;
  step->had = MAX (step->had, rows);
}

gboolean
step_is_too_slow (const Step *step, const GError *cause)
{
  return pace_is_too_slow (step, cause);
}

void
step_cut (Step *step, gint64 limit)
{
  step->run->progress.limit = limit;
}
