#include "engine/step/decide.h"

#include "engine/step/guard.h"
#include "engine/step/pace.h"
#include "engine/step/read_back.h"

/* Of rows that go after something else (src/engine/work/objects.h, archives.h): unknown until that
 * is done. */
static const char *const TRIAL_OBJECTS[]
    = { "objects", "going", "shared", "archived", "archived_in" };

void
trial_clear (Trial *trial)
{
  g_clear_pointer (&trial->decided, rows_free);
  g_clear_pointer (&trial->children, rows_free);
  g_clear_pointer (&trial->what, g_free);
  g_clear_pointer (&trial->refused, g_ptr_array_unref);
  g_clear_pointer (&trial->told, g_ptr_array_unref);
  g_clear_pointer (&trial->below_of, g_hash_table_unref);
  effects_clear (&trial->effects);
  trial->torn = trial->unsettled = FALSE;
}

static void
below_free (gpointer data)
{
  TrialBelow *below = data;
  json_decref (below->tables);
  g_free (below);
}

void
trial_note_below (Trial *trial, const char *owner, const char *table, const char *what,
                  gboolean own, gint64 n)
{
  if (trial->below_of == NULL)
    trial->below_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, below_free);
  TrialBelow *below = g_hash_table_lookup (trial->below_of, owner);
  if (below == NULL) {
    below = g_new0 (TrialBelow, 1);
    below->tables = json_object ();
    g_hash_table_insert (trial->below_of, g_strdup (owner), below);
  }
  if (own)
    below->own += n;
  else {
    below->others += n;
    step_add_other (below->tables, table, what, n);
  }
}

void
trial_add_below (const Trial *trial, const char *key, TrialBelow *all)
{
  const TrialBelow *below
      = trial->below_of != NULL ? g_hash_table_lookup (trial->below_of, key) : NULL;
  if (below == NULL)
    return;
  all->own += below->own;
  all->others += below->others;
  step_add_counts (all->tables, below->tables);
}

/* Of a sentence with portions (portion.h). */
static void
bind_portion (const Step *step, const PgStatement *statement, PgValues *values)
{
  const Run *run = step->run;
  const json_t *gone = json_object_get (run->progress.portion, "gone");
  if (pg_statement_wants (statement, "portion"))
    pg_values_int (values, "portion", pace_limit_within (run, step->job->sentence->portion));
  if (pg_statement_wants (statement, "gone_below"))
    pg_values_int (values, "gone_below", json_integer_value (gone));
}

PgValues *
trial_values (Step *step, const PgStatement *statement, const Extra *extra)
{
  PgValues *values = pg_values_new ();
  step_bind (step, statement, values);
  read_back_bind (step, statement, values);
  for (guint i = 0; i < G_N_ELEMENTS (TRIAL_OBJECTS); i++)
    if (pg_statement_wants (statement, TRIAL_OBJECTS[i]))
      pg_values_set (values, TRIAL_OBJECTS[i], NULL);
  if (step->job->large != NULL)
    bind_portion (step, statement, values);
  for (guint i = 0; extra != NULL && i < extra->names->len; i++)
    pg_values_set (values, extra->names->pdata[i], extra->texts->pdata[i]);
  return values;
}

PgValues *
trial_values_of (Step *step, const PgStatement *statement, const Trial *trial, const GArray *which,
                 const Extra *extra)
{
  PgValues *values = trial_values (step, statement, extra);
  const int *rows = (const int *)(gpointer)which->data;
  for (int column = 0; column < rows_columns (trial->decided); column++) {
    const char *name = rows_name (trial->decided, column);
    if (pg_statement_wants (statement, name) && !g_str_equal (name, "what"))
      pg_values_take (values, name, rows_array_of (trial->decided, column, rows, which->len));
  }
  if (pg_statement_wants (statement, "what")) {
    GString *what = array_new ();
    for (guint i = 0; i < which->len; i++)
      array_add (what, trial->what[rows[i]]);
    pg_values_take (values, "what", array_take (what));
  }
  return values;
}

GArray *
trial_rows (const Trial *trial, const char *word)
{
  GArray *which = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (word == NULL ? !g_str_equal (trial->what[i], "failed") : g_str_equal (trial->what[i], word))
      g_array_append_val (which, i);
  return which;
}

gint64
trial_changed (const Job *job, const char *const *what, int n)
{
  gint64 changed = 0;
  for (int i = 0; i < n; i++) {
    const JobWhat *known = job_what (job, what[i]);
    changed += known != NULL && known->apply->len > 0;
  }
  return changed;
}

/* --- asking --- */

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
  return guard_whole (statement, rows, "key what", error)
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
