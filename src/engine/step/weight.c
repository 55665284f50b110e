#include "engine/step/weight.h"

#include "engine/job/in_force.h"

#include <pthread.h>

#define COLUMN "audit_bytes" /* of job_files_audit.c */

/* Under the lock. */
static GHashTable *rows_of; /* name of a job -> bytes of a row */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

gint64
weight_rows (gint64 had, gint64 bytes, gint64 most)
{
  if (had <= 0 || bytes <= 0)
    return G_MAXINT64;
  return MAX (1, (gint64)((double)had * (double)most / (double)bytes));
}

gint64
weight_of_row (gint64 before, gint64 had, gint64 bytes)
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
  const gint64 bytes = weight_of_row (remembered (step->job), had, step->bytes);
  pthread_mutex_lock (&lock);
  if (rows_of == NULL)
    rows_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  gint64 *known = g_hash_table_lookup (rows_of, step->job->name);
  if (known == NULL)
    g_hash_table_insert (rows_of, g_strdup (step->job->name), known = g_new0 (gint64, 1));
  *known = bytes;
  pthread_mutex_unlock (&lock);
}

void
weight_begin (Run *run)
{
  run->fits = 0;
  if (!is_remembered (run->job))
    return;
  const gint64 rows = weight_rows (
      1, remembered (run->job), config_job_int (in_force_config (), run->job->name, "page_bytes"));
  run->fits = rows < G_MAXINT64 ? rows : 0;
}

/* What cannot be cut is done as it is. */
gint64
weight_most (const Step *step)
{
  const gboolean least = step->tried == 1 || step->run->progress.limit == 1;
  return step->most > 0 && (step->many || !least) ? page_bytes (step) : G_MAXINT64;
}

gboolean
weight_take (Step *step, const PgRows *rows, GError **error)
{
  const int column = rows_count (rows) > 0 ? rows_column (rows, COLUMN) : -1;
  const gint64 bytes = column >= 0 ? rows_int (rows, 0, COLUMN) : 0; /* of narrow rows NULL */
  if (bytes < 0)
    return step_fail (step, error, PRUNED_RETRY,
                      "rows that went are not in the audit: a trigger or a rule of "
                      "pruned.deletions keeps them out, or a file returns rows of no run");
  if (!step->many) /* else they are of several runs */
    step->bytes += column >= 0 ? MAX (1, bytes) : 0;
  if (bytes <= weight_most (step))
    return TRUE;
  step->too_wide = TRUE;
  remember (step, step->tried);
  return step_fail (step, error, PRUNED_RETRY,
                    "the rows are %" G_GINT64_FORMAT " bytes, more than page_bytes", bytes);
}

void
weight_begin_try (Step *step)
{
  step->bytes = 0;
}

void
weight_is_too_much (Step *step)
{
  step->too_wide = TRUE;
}

gint64
weight_fits (const Step *step)
{
  return weight_rows (step->tried, step->bytes, page_bytes (step));
}

gint64
weight_note (const Step *step)
{
  remember (step, step->had);
  return weight_rows (step->had, step->bytes, page_bytes (step));
}
