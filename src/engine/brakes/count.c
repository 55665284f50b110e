#include "engine/brakes/count.h"

#include "base/clock.h"
#include "base/cut.h"
#include "engine/job/in_force.h"
#include "engine/ledger/keeping.h"
#include "engine/step/page_keys.h"
#include "engine/step/plan_below.h"

#define SQL "src/engine/brakes/sql/"
#define LONGEST_US (8 * G_USEC_PER_SEC) /* after this time the rest is estimated */
#define VALUE_BYTES 200                 /* of a value: an outcome tells it */

void
run_count_clear (RunCount *count)
{
  g_clear_pointer (&count->values, json_decref);
}

gint64
count_own_rows (const json_t *result)
{
  return json_integer_value (json_object_get (result, "updated_rows"))
         + json_integer_value (json_object_get (result, "below"));
}

gint64
count_each (const Job *job, gint64 own, gint64 below)
{
  own = MAX (1, own);
  return (job->children != NULL ? 2 : 1) /* a row, and a child for it */
         + (below + own - 1) / own;
}

gint64
count_below_before (const Step *step)
{
  const gint64 own = count_own_rows (step->run->result);
  return step->job->below != NULL
             ? MAX (0, step->run->rows_done - own)
             : json_integer_value (json_object_get (step->run->result, STEP_OTHERS));
}

static gboolean
ask_keys (const Step *step, Run *run, gint64 limit, gint64 *n, GError **error)
{
  g_autoptr (PgValues) values = page_values_of (step, run, (int)(CLAMP (limit, 1, COUNT_MOST) - 1));
  g_autoptr (PgRows) rows = pg_run (step->pg, step->job->page_count, values, error);
  if (rows != NULL)
    *n = rows_int (rows, 0, "n");
  return rows != NULL;
}

gboolean
count_rest (Step *step, gint64 limit, gint64 *n, GError **error)
{
  Run ahead = step_run_ahead (step);
  return ask_keys (step, &ahead, limit, n, error);
}

gboolean
count_beside (Step *step, gint64 limit, GError **error)
{
  const JobCode *code = step->job->code;
  if (code != NULL && code->foresee != NULL)
    return code->foresee (step, error);
  g_auto (PlanTally) tally = { 0 };
  plan_tally_init (&tally, NULL);
  if (!plan_below_rows (step, limit, &tally, error))
    return FALSE;
  step_add_counts (step->counts, tally.counts);
  step_add_rows (step, 0, tally.rows, 0);
  return TRUE;
}

/* What a job in C would take beside the rows of count.sql. */
static gboolean
count_foreseen (Step *step, gint64 limit, gint64 *below, GError **error)
{
  if (step->job->code == NULL)
    return TRUE;
  g_autoptr (Step) ahead = step_new (step->pg, step->run, step->prefix, NULL, NULL);
  const gboolean ok = count_beside (ahead, limit, error);
  *below = ahead->below;
  step_fails_as (step, ahead);
  return ok;
}

/* Queues what counts the rows of ONE; *ASKED: there is a question. */
static gboolean
queue (CountAhead *one, gboolean *asked, GError **error)
{
  Step *step = one->step;
  const Job *job = step->job;
  const gint64 limit = CLAMP (one->limit, 1, COUNT_MOST);
  *asked = job->count != NULL || !page_is_named (step->run);
  one->n = 1;
  if (!*asked)
    return TRUE;
  g_autoptr (PgValues) values
      = job->count == NULL ? page_values_of (step, step->run, (int)limit - 1) : pg_values_new ();
  if (job->count != NULL) {
    step_bind (step, job->count, values);
    pg_values_int (values, "limit", limit);
  }
  return pg_queue (step->pg, job->count != NULL ? job->count : job->page_count, values, error);
}

gboolean
count_ahead (CountAhead *all, guint n, GError **error)
{
  Pg *pg = all->step->pg;
  g_autofree gboolean *asked = g_new0 (gboolean, n);
  gboolean any = FALSE;
  for (guint i = 0; i < n; any |= asked[i++])
    if (!queue (&all[i], &asked[i], error))
      return FALSE;
  if (any && !pg_flush (pg, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    g_autoptr (PgRows) rows = asked[i] ? pg_next (pg, error) : NULL;
    if (asked[i] && rows == NULL)
      return FALSE;
    if (asked[i])
      all[i].n = rows_int (rows, 0, "n");
  }
  if ((any && !pg_finish (pg, error))
      || (n == 1
          && !count_foreseen (all->step, CLAMP (all->limit, 1, COUNT_MOST), &all->below, error)))
    return FALSE;
  all->n += all->below;
  return TRUE;
}

/* Values of a column that the audit never has are not shown; of a time its days always are. */
static gboolean
due_is_hidden (Step *step, gboolean *hidden, GError **error)
{
  const Job *job = step->job;
  g_autofree char *secret = keeping_secret (in_force_config ());
  const Config *config = in_force_config ();
  *hidden = job->due != NULL && g_regex_match_simple (secret, job->due, G_REGEX_CASELESS, 0);
  if (job->due == NULL || job->table == NULL)
    return TRUE;
  g_autoptr (PgValues) names = pg_values_new ();
  pg_values_set (names, "tab", job->table);
  pg_values_set (names, "due", job->due);
  pg_values_set (names, "secret", secret);
  pg_values_set (names, "record", job_recorded (job));
  pg_values_set (names, "audit",
                 job->audit != NULL ? job->audit : config_text (config, "audit", "rows"));
  pg_values_take (names, "audit_of",
                  job->audit != NULL ? g_strdup ("{}") : keeping_rows_of (config));
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "due_hidden.sql", names, error);
  if (rows != NULL)
    *hidden = rows_bool (rows, 0, "hidden");
  return rows != NULL;
}

static gboolean
add_values (Step *step, const PgRows *rows, json_t *values, GError **error)
{
  gboolean hidden;
  if (!due_is_hidden (step, &hidden, error))
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *text = rows_text (rows, i, "value");
    g_autofree char *value = text != NULL ? cut_text (text, VALUE_BYTES) : NULL;
    json_array_append_new (values, json_pack ("{s:s?, s:I}", "value", hidden ? "***" : value,
                                              "rows", (json_int_t)rows_int (rows, i, "rows")));
  }
  return TRUE;
}

/* The commonest values of the column that makes the rows KEYS due. */
static gboolean
read_values (Step *step, const GString *keys, json_t *values, GError **error)
{
  if (step->job->due == NULL || step->job->due_table != NULL || step->job->table == NULL
      || keys->len < 2)
    return TRUE;
  g_autoptr (PgValues) names = pg_values_new ();
  pg_values_set (names, "tab", step->job->table);
  pg_values_set (names, "due", step->job->due);
  g_autoptr (PgRows) text = pg_run_file (step->pg, SQL "values.sql", names, error);
  if (text == NULL || rows_count (text) == 0)
    return text != NULL;
  g_autofree char *key = g_strconcat (keys->str, "}", NULL);
  g_autoptr (PgRows) rows
      = step_query_text (step, error, rows_text (text, 0, "sql"), "key", key, NULL);
  return rows != NULL && add_values (step, rows, values, error);
}

/* The same by values.sql: of a job in C, or of a sentence. */
static gboolean
read_coded_values (Step *step, json_t *found, GError **error)
{
  if (step->job->values == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, step->job->values, values);
  pg_values_int (values, "limit", PLAN_KEYS);
  g_autoptr (PgRows) rows = pg_run (step->pg, step->job->values, values, error);
  return rows != NULL && add_values (step, rows, found, error);
}

/* A page with all rows of the table says nothing about how many of the others are due. */
static void
take_most (const Job *job, const PlanTally *tally, gint64 rest, RunCount *count)
{
  const gint64 below = tally->below + json_integer_value (json_object_get (tally->counts, "below")),
               own = MAX (1, tally->rows - below);
  count->rows += rest * count_each (job, own, below);
  count->below += rest * (tally->below / own);
  count->most = TRUE;
  count->unknown = job->below != NULL || rest >= COUNT_MOST;
}

/* The pages behind the deadline have as many rows a key as those before it. */
static gboolean
estimate (Step *step, const PlanTally *tally, RunCount *count, GError **error)
{
  gint64 rest;
  if (!ask_keys (step, step->run, COUNT_MOST, &rest, error))
    return FALSE;
  count->estimated = TRUE;
  if (step->job->form == FORM_ALL) {
    take_most (step->job, tally, rest, count);
    return TRUE;
  }
  const double keys = (double)MAX (1, tally->keys);
  count->rows += (gint64)((double)rest * (double)tally->rows / keys);
  count->below += (gint64)((double)rest * (double)tally->below / keys);
  return TRUE;
}

static gboolean
count_pages (Step *step, RunCount *count, GError **error)
{
  g_auto (PlanTally) tally = { 0 };
  plan_tally_init (&tally, NULL);
  tally.deadline_us = clock_monotonic_us () + LONGEST_US;
  if (!plan_tally (step, &tally, error))
    return FALSE;
  count->rows = step->run->rows_done + tally.rows;
  count->below = count_below_before (step) + tally.below;
  if (tally.more && !estimate (step, &tally, count, error))
    return FALSE;
  return step->job->values != NULL ? read_coded_values (step, count->values, error)
                                   : read_values (step, tally.changed, count->values, error);
}

static gboolean
count_by_file (Step *step, RunCount *count, GError **error)
{
  CountAhead ahead = { .step = step, .limit = COUNT_MOST };
  if (!count_ahead (&ahead, 1, error))
    return FALSE;
  count->rows = step->run->rows_done + ahead.n;
  count->below = count_below_before (step) + ahead.below;
  count->estimated = ahead.n - ahead.below == COUNT_MOST;
  return read_coded_values (step, count->values, error);
}

void
count_known (const Step *step, RunCount *count)
{
  const Run *run = step->run;
  const gint64 changed = run->rows_done + step->rows + step->children->len;
  gint64 rows = MAX (step->counted, changed);
  if (run_is_approved (run) && changed <= run->approved_rows)
    rows = MIN (rows, run->approved_rows);
  *count = (RunCount){ .rows = rows,
                       .below = count_below_before (step) + step->below,
                       .estimated = TRUE,
                       .values = json_array () };
}

void
count_add_seen (const Step *step, RunCount *count)
{
  const gint64 more = MAX (0, count_below_before (step) + step->below - count->below);
  count->rows += more;
  count->below += more;
}

gboolean
count_run (Step *step, RunCount *count, GError **error)
{
  Run run = *step->run;
  const gint64 least = run.rows_done + step->rows + step->children->len;
  run.cursor = run.cursor != NULL ? json_deep_copy (run.cursor) : NULL;
  run.progress = run_progress_copy (&run.progress);
  g_autoptr (Step) counter = step_new (step->pg, &run, step->prefix, NULL, NULL);
  *count = (RunCount){ .values = json_array () };
  gboolean ok = TRUE;
  if (run.job->count != NULL)
    ok = count_by_file (counter, count, error);
  else if (run.job->kind->pages)
    ok = count_pages (counter, count, error);
  else
    count->estimated = step->continues;
  count_add_seen (step, count);
  count->rows = MAX (count->rows, least);
  step_fails_as (step, counter);
  g_clear_pointer (&run.cursor, json_decref);
  run_progress_clear (&run.progress);
  return ok;
}
