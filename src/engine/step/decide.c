#include "engine/step/decide.h"

#include "engine/job/job_rows.h"
#include "engine/step/guard.h"

static const PgStatement *
decide_all (void)
{
  return pg_statement ("src/engine/step/sql/decide_all.sql");
}

/* The deleting file of a sentence asks the condition again for each row. So the page that has just
 * been found is a decision, unless its rows are locked to be decided, or an earlier try did not
 * get some of them. */
static gboolean
is_decided_by_page (const Step *step, gboolean first)
{
  gboolean locks = FALSE;
  const GPtrArray *files = step_form (step)->locks;
  for (guint i = 0; i < files->len; i++)
    locks |= pg_statement_wants (files->pdata[i], "key");
  return step->job->sentence != NULL && step->found && first && !locks;
}

const PgStatement *
decide_statement (const Step *step, gboolean first)
{
  const PgStatement *own = step_form (step)->decide;
  return own == NULL || is_decided_by_page (step, first) ? decide_all () : own;
}

PgValues *
decide_values (Step *step, const PgStatement *statement, const char *keys, const char *gone,
               const Extra *extra)
{
  PgValues *values = trial_values (step, statement, extra);
  pg_values_set (values, "key", keys);
  pg_values_set (values, "gone", gone);
  return values;
}

gboolean
decide_is_whole (Step *step, const PgStatement *statement, const GPtrArray *keys,
                 const PgRows *rows, GError **error)
{
  return job_rows_are_whole (statement, rows, "key what", error)
         && guard_decided (step, statement, keys, rows, error);
}

PgRows *
decide_keys (Step *step, const GPtrArray *keys, const char *gone, const Extra *extra,
             GError **error)
{
  g_autofree char *key = array_of_texts (keys);
  const PgStatement *statement = decide_statement (step, FALSE);
  g_autoptr (PgValues) values = decide_values (step, statement, key, gone, extra);
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, error);
  gboolean whole = rows != NULL && decide_is_whole (step, statement, keys, rows, error);
  return whole ? g_steal_pointer (&rows) : NULL;
}

PgRows *
decide_below (Step *step, const PgStatement *counts, const GPtrArray *keys, GError **error)
{
  g_autoptr (PgValues) values = trial_values (step, counts, NULL);
  pg_values_take (values, "key", array_of_texts (keys));
  return pg_run (step->pg, counts, values, error);
}

PgRows *
decide_children (Step *step, PgRows *decided, GError **error)
{
  int n = rows_count (decided);
  g_autofree const char **what = g_new0 (const char *, n + 1);
  g_autoptr (GArray) which = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < n; i++) {
    what[i] = rows_text (decided, i, "what");
    g_array_append_val (which, i);
  }
  const Trial trial = { .decided = decided, .what = what };
  g_autoptr (PgValues) values = trial_values_of (step, step->job->children, &trial, which, NULL);
  return pg_run (step->pg, step->job->children, values, error);
}
