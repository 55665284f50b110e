#include "engine/step/plan_below.h"

#include "engine/job/sentence/foreseen.h"
#include "engine/step/beside.h"
#include "engine/step/decide.h"

#define KEYS_AT_ONCE 1000

/* How many rows of each table go or change. */
static void
tally_tables (PlanTally *tally, const PgRows *rows)
{
  for (int i = 0; i < rows_count (rows); i++) {
    const gint64 n = rows_int (rows, i, "n");
    const gboolean emptied = rows_bool (rows, i, "emptied");
    const char *table = rows_text (rows, i, "table");
    tally->rows += n;
    if (n > 0)
      step_add_count (emptied ? tally->emptied : tally->tables, table, n);
    if (emptied || !rows_bool (rows, i, "own")) {
      tally->below += n;
      step_add_other (tally->counts, table, emptied ? STEP_CHANGED : STEP_DELETED, n);
    } else if (n > 0)
      step_add_count (tally->counts, "below", n);
  }
}

/* The keys of DECIDED whose word is the WORD-th. */
static GPtrArray *
keys_of (const Job *job, const PgRows *decided, guint word)
{
  GPtrArray *keys = g_ptr_array_new ();
  for (int i = 0; i < rows_count (decided); i++)
    if (job_what (job, rows_text (decided, i, "what")) == job->whats->pdata[word])
      g_ptr_array_add (keys, (gpointer)rows_text (decided, i, "key"));
  return keys;
}

gboolean
plan_below (Step *step, const GPtrArray *below, PgRows *decided, PlanTally *tally, GError **error)
{
  for (guint i = 0; i < below->len; i++) {
    if (below->pdata[i] == NULL)
      continue;
    g_autoptr (GPtrArray) keys = keys_of (step->job, decided, i);
    if (keys->len == 0)
      continue;
    g_autoptr (PgRows) rows = decide_below (step, below->pdata[i], keys, error);
    if (rows == NULL)
      return FALSE;
    tally_tables (tally, rows);
  }
  return TRUE;
}

/* --- a job in C --- */

/* Nothing can go with its rows: asked of the catalogue every few seconds. */
static gboolean
ask_beside (Step *step, gboolean *any, GError **error)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  g_ptr_array_add (tables, step->job->table);
  Beside beside;
  beside_init (&beside);
  const gboolean ok = beside_look (step, &beside, tables, error);
  *any = beside.rels != NULL;
  beside_clear (&beside);
  return ok;
}

gboolean
plan_below_rows (Step *step, gint64 limit, PlanTally *tally, GError **error)
{
  const PgStatement *counts = NULL;
  gboolean any = FALSE;
  if (!step->job->kind->counts_objects || step->job->table == NULL)
    return TRUE;
  if (!ask_beside (step, &any, error)
      || (any && !foreseen_read_rows (step->pg, step->job, &counts, error)))
    return FALSE;
  if (counts == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, counts, values);
  pg_values_int (values, "limit", limit);
  g_autoptr (PgRows) rows = pg_run (step->pg, counts, values, error);
  if (rows != NULL)
    tally_tables (tally, rows);
  return rows != NULL;
}

/* The lines of its plan. */
typedef struct {
  const Job *job;
  GPtrArray *keys; /* for each of the job's words: a GPtrArray of char */
  StepVisit visit; /* gets them, too */
  gpointer data;
} Lines;

static void
note_line (const char *table, const char *key, const char *action, const char *reason,
           gpointer data)
{
  const Lines *lines = data;
  for (guint i = 0; i < lines->job->whats->len; i++)
    if (g_strcmp0 (table, lines->job->table) == 0
        && g_str_equal (((JobWhat *)lines->job->whats->pdata[i])->word, action))
      g_ptr_array_add (lines->keys->pdata[i], g_strdup (key));
  lines->visit (table, key, action, reason, lines->data);
}

static gboolean
count_keys (Step *step, const PgStatement *counts, const GPtrArray *keys, PlanTally *tally,
            GError **error)
{
  for (guint i = 0; i < keys->len; i += KEYS_AT_ONCE) {
    g_autoptr (GPtrArray) some = g_ptr_array_new ();
    for (guint k = i; k < MIN (keys->len, i + KEYS_AT_ONCE); k++)
      g_ptr_array_add (some, keys->pdata[k]);
    g_autoptr (PgRows) rows = decide_below (step, counts, some, error);
    if (rows == NULL)
      return FALSE;
    tally_tables (tally, rows);
  }
  return TRUE;
}

gboolean
plan_below_of_code (Step *step, PlanTally *tally, GError **error)
{
  g_autoptr (GPtrArray) below = foreseen_read (step->pg, step->job, error),
                        keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  if (below == NULL)
    return FALSE;
  for (guint i = 0; i < below->len; i++)
    g_ptr_array_add (keys, g_ptr_array_new_with_free_func (g_free));
  Lines lines = { step->job, keys, step->plan_visit, step->plan_data };
  step_plan_by (step, note_line, &lines);
  gboolean ok = step->job->code->plan (step, error);
  step_plan_by (step, lines.visit, lines.data);
  for (guint i = 0; ok && i < below->len; i++)
    ok = below->pdata[i] == NULL
         || count_keys (step, below->pdata[i], keys->pdata[i], tally, error);
  return ok;
}
