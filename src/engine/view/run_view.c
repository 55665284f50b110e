#include "engine/view/run_view.h"

#include "base/plural.h"
#include "base/spoken.h"
#include "base/words.h"
#include "engine/ledger/run.h"
#include "engine/work/divide.h"

#define SQL "src/engine/view/sql/"

static const Column PARENT[]
    = { { "run_id" }, { "job" }, { "state" }, { NULL } },
    VALUES[] = { { "value" }, { "rows", CELL_NUMBER }, { NULL } },
    STEPS[] = { { "range", CELL_NUMBER },
                { "step", CELL_NUMBER },
                { "at", CELL_TIME },
                { "rows", CELL_NUMBER },
                { "took_ms", CELL_NUMBER },
                { "tables" },
                { NULL } },
    TABLES[] = { { "table" }, { "action" }, { "rows", CELL_NUMBER }, { NULL } },
    CHILDREN[] = { { "job" }, { "state" }, { "runs", CELL_NUMBER }, { NULL } },
    QUARANTINED[]
    = { { "item" }, { "attempts", CELL_NUMBER }, { "parked", CELL_BOOL }, { "reason" }, { NULL } };

/* Without columns: those of the journal. */
static const struct {
  const char *name, *file;
  const Column *columns;
} PART[RUN_VIEW_PARTS] = {
  [RUN_VIEW_PARENT] = { "parent", SQL "run_parent.sql", PARENT },
  [RUN_VIEW_VALUES] = { "values", SQL "run_values.sql", VALUES },
  [RUN_VIEW_STEPS] = { "steps", SQL "run_steps.sql", STEPS },
  [RUN_VIEW_TABLES] = { "tables", SQL "run_tables.sql", TABLES },
  [RUN_VIEW_CHILDREN] = { "children", SQL "run_children.sql", CHILDREN },
  [RUN_VIEW_QUARANTINED] = { "quarantined", SQL "run_quarantined.sql", QUARANTINED },
  [RUN_VIEW_ACTIONS] = { "actions", SQL "run_actions.sql", NULL },
};

const char *
run_view_name (RunViewPart part)
{
  return PART[part].name;
}

const Column *
run_view_columns (RunViewPart part, const PgRows *rows)
{
  const Column *columns
      = PART[part].columns != NULL ? PART[part].columns : view_columns (VIEW_JOURNAL);
  gboolean plain = part == RUN_VIEW_STEPS && rows != NULL;
  for (int i = 0; plain && i < rows_count (rows); i++)
    plain = rows_text (rows, i, "range") == NULL;
  return columns + (plain ? 1 : 0);
}

void
run_view_clear (RunView *view)
{
  for (guint i = 0; i < RUN_VIEW_PARTS; i++)
    g_clear_pointer (&view->parts[i], rows_free);
  g_clear_pointer (&view->lost, g_free);
  g_clear_pointer (&view->next, g_strfreev);
}

/* JOB: NULL, it is not known. */
static gboolean
look_for_lost (RunView *view, Pg *pg, const Job *job, const PgValues *values, GError **error)
{
  if (job != NULL && job->final != NULL) {
    view->lost = g_strdup (job->final);
    return TRUE;
  }
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "run_lost.sql", values, error);
  if (rows != NULL && rows_count (rows) > 0)
    view->lost = g_strdup (rows_text (rows, 0, "why"));
  return rows != NULL;
}

/* --- what comes next -------------------------------------------------------------------------- */

static void suggest (GPtrArray *next, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
suggest (GPtrArray *next, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_ptr_array_add (next, g_strdup_vprintf (format, list));
  va_end (list);
}

static void
suggest_about_children (GPtrArray *next, const PgRows *children)
{
  for (int i = 0; i < rows_count (children); i++)
    if (g_str_equal (rows_text (children, i, "state"), "dead"))
      suggest (next, "pruned runs --job %s --state dead", rows_text (children, i, "job"));
}

/* Not for quiet hours, nor for the server: no command changes these. */
static gboolean
waits_for_a_retry (const PgRows *run)
{
  const char *error = rows_text (run, 0, "error");
  return g_str_equal (rows_text (run, 0, "state"), "waiting") && error != NULL
         && !g_str_has_prefix (error, "quiet hours") && !g_str_has_prefix (error, "throttled");
}

static char **
next_of (const RunView *view, const PgRows *run)
{
  GPtrArray *next = g_ptr_array_new ();
  const char *id = rows_text (run, 0, "run_id"), *state = rows_text (run, 0, "state");
  gboolean blocked = g_strcmp0 (rows_text (run, 0, "status"), "blocked") == 0;
  const gboolean is_halted = view->stopped || view->paused;
  gboolean ended = g_str_equal (state, "finished") || g_str_equal (state, "skipped");
  if (g_str_equal (state, "held") && !blocked)
    suggest (next, "pruned approve %s", id);
  if (!ended && view->stopped)
    suggest (next, "pruned go");
  if (!ended && view->paused)
    suggest (next, "pruned resume %s", rows_text (run, 0, "job"));
  if (g_str_equal (state, "dead") || blocked || (!is_halted && waits_for_a_retry (run)))
    suggest (next, "pruned retry %s", id);
  if (!ended)
    suggest (next, "pruned discard %s", id);
  if (view->removed && view->lost == NULL)
    suggest (next, "pruned restore %s%s --dry-run", id,
             rows_count (view->parts[RUN_VIEW_CHILDREN]) > 0 ? " --with-children" : "");
  if (rows_count (view->parts[RUN_VIEW_QUARANTINED]) > 0)
    suggest (next, "pruned quarantine retry %s", rows_text (run, 0, "job"));
  suggest_about_children (next, view->parts[RUN_VIEW_CHILDREN]);
  g_ptr_array_add (next, NULL);
  return (char **)g_ptr_array_free (next, FALSE);
}

/* --- */

gboolean
run_view_look (RunView *view, Pg *pg, const Jobs *jobs, const PgRows *run, GError **error)
{
  static const char *const given[]
      = { "run_id", "parent_id", "job", "scheduled_at", "started_at", "finished_at" };
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    pg_values_set (values, given[i], rows_text (run, 0, given[i]));
  pg_values_int (values, "range_steps", RANGE_STEPS);
  for (guint i = 0; i < RUN_VIEW_PARTS; i++)
    if ((view->parts[i] = pg_run_file (pg, PART[i].file, values, error)) == NULL)
      return FALSE;
  const Job *job = jobs_find_loaded (jobs, rows_text (run, 0, "job"));
  if (!look_for_lost (view, pg, job, values, error))
    return FALSE;
  g_autoptr (PgRows) paused = view_ask (pg, VIEW_PAUSED, values, error);
  g_autoptr (PgRows) stop = paused != NULL ? view_ask (pg, VIEW_STOP, NULL, error) : NULL;
  if (stop == NULL)
    return FALSE;
  view->paused = rows_count (paused) > 0;
  view->stopped = rows_count (stop) > 0;
  view->removed = run_has_ended (rows_text (run, 0, "state"))
                  && rows_count (view->parts[RUN_VIEW_TABLES]) > 0;
  view->next = next_of (view, run);
  return TRUE;
}

/* --- in words --------------------------------------------------------------------------------- */

const char *
run_view_state (const PgRows *rows, int row)
{
  const char *state = rows_text (rows, row, "state"), *status = rows_text (rows, row, "status");
  const gboolean failed = g_str_equal (state, "finished") && g_strcmp0 (status, "failed") == 0;
  return failed || g_strcmp0 (status, "blocked") == 0 ? status : state;
}

static json_t *
held_of (const PgRows *rows, int row)
{
  const char *text = rows_text (rows, row, "held");
  return text != NULL ? cell_from_text (CELL_JSON, text) : NULL;
}

const char *
run_view_estimated (const PgRows *rows, int row)
{
  g_autoptr (json_t) held = held_of (rows, row);
  return g_str_equal (rows_text (rows, row, "state"), "held")
                 && json_is_true (json_object_get (held, "estimated"))
             ? " (estimated)"
             : "";
}

/* It was approved for fewer rows, or the approval has ended; NULL: it was not. */
static char *
exceeded_of (const PgRows *rows, int row)
{
  g_autoptr (json_t) held = held_of (rows, row);
  const json_t *approved = json_object_get (held, "approved");
  const gint64 n = json_integer_value (approved);
  g_autofree char *number = spoken_number (n);
  const char *rows_word = plural (n, "row", "rows");
  if (approved == NULL)
    return NULL;
  return json_is_true (json_object_get (held, "approval_ended"))
             ? g_strdup_printf (", the approval of %s %s has ended", number, rows_word)
             : g_strdup_printf (", more than the %s %s approved", number, rows_word);
}

char *
run_view_result (const PgRows *rows, int row)
{
  const char *text = rows_text (rows, row, "result"), *error = rows_text (rows, row, "error");
  g_autoptr (json_t) result = text != NULL ? cell_from_text (CELL_JSON, text) : NULL;
  g_autofree char *words = words_of_result (result), *exceeded = exceeded_of (rows, row);
  if (error == NULL)
    return g_steal_pointer (&words);
  return g_strconcat (words != NULL ? words : "", words != NULL ? "; " : "", error,
                      run_view_estimated (rows, row), exceeded, NULL);
}
