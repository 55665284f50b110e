#include "engine/step/why.h"

#include "engine/ledger/run.h"
#include "engine/step/decide.h"
#include "engine/step/halves.h"
#include "engine/step/held_below.h"
#include "engine/step/plan.h"

void
why_clear (Why *why)
{
  g_clear_pointer (&why->what, g_free);
  g_clear_pointer (&why->reason, g_free);
  g_clear_pointer (&why->below, g_free);
}

static PgRows *
decide (Step *step, const GPtrArray *keys, gconstpointer gone, GError **error)
{
  return decide_keys (step, keys, gone, NULL, error);
}

/* A job that changes nothing itself starts runs about the rows it has decided. */
static gboolean
starts_a_run (Step *step, PgRows *rows, gboolean *starts, GError **error)
{
  *starts = FALSE;
  if (step->job->children == NULL)
    return TRUE;
  g_autoptr (PgRows) children = decide_children (step, rows, error);
  *starts = children != NULL && rows_count (children) > 0;
  return children != NULL;
}

static gboolean
read_decision (Step *step, PgRows *rows, Why *why, GError **error)
{
  const char *what = rows_text (rows, 0, "what");
  const JobWhat *known = job_what (step->job, what);
  const int reason = rows_column (rows, "reason");
  gboolean starts;
  if (!starts_a_run (step, rows, &starts, error))
    return FALSE;
  why->goes = starts || (known != NULL && known->apply->len > 0);
  why->what = g_strdup (what);
  why->reason = g_strdup (reason >= 0 ? rows_at (rows, 0, reason) : NULL);
  return TRUE;
}

/* A held row that would go with the row. */
static gboolean
look_below (Step *step, const GPtrArray *keys, Why *why, GError **error)
{
  if (!why->goes || !held_below_matters (step->job, why->what))
    return TRUE;
  g_autoptr (PgRows) rows = held_below_ask (step->pg, step->job, keys, error);
  for (int i = 0; rows != NULL && i < rows_count (rows) && why->below == NULL; i++)
    if (rows_text (rows, i, "owner") != NULL)
      why->below = g_strdup (rows_text (rows, i, "item"));
  return rows != NULL;
}

/* The job's rows come in pages, and its statement says what becomes of each; what a function in C
 * binds, only that knows. */
static gboolean
can_be_asked (const Job *job)
{
  return job->decide != NULL && job->page != NULL && (job->code == NULL || job->code->plan == NULL);
}

static gboolean
ask_step (Step *step, const char *key, Why *why, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_auto (Halves) decided = { 0 };
  g_ptr_array_add (keys, (gpointer)key);
  if (!step_complete (step, error))
    return FALSE;
  why->known = can_be_asked (step->job);
  if (!why->known)
    return TRUE;
  if (!halves_ask (step, keys, decide, "{}", &decided, error))
    return FALSE;
  if (decided.failed->len > 0) {
    why->what = g_strdup ("failed");
    why->reason = g_strdup (decided.reasons->pdata[0]);
    return TRUE;
  }
  PgRows *rows = decided.answers->len > 0 ? decided.answers->pdata[0] : NULL;
  return rows == NULL || rows_count (rows) == 0
         || (read_decision (step, rows, why, error) && look_below (step, keys, why, error));
}

gboolean
why_ask (Pg *pg, const Job *job, gint64 at_us, const char *key, Why *why, GError **error)
{
  g_autoptr (json_t) args = json_object ();
  g_autoptr (Run) run = plan_run_of (job, at_us, args);
  g_autoptr (Step) step = step_new_plan (pg, run);
  *why = (Why){ 0 };
  const gboolean ok = pg_begin_read_only (pg, error) && ask_step (step, key, why, error);
  pg_rollback (pg);
  return ok;
}

/* --- many rows at once ------------------------------------------------------------------------ */

/* The sentence's `where` is a reason of its own: it does not name the row. */
static const char *
word_of (const Job *job, const PgRows *rows, int row)
{
  const char *what = rows_text (rows, row, "what");
  const int reason = rows_column (rows, "reason");
  const JobWhat *known = job_what (job, what);
  if (known != NULL
      && (known->apply->len > 0 || (job->children != NULL && known->counts_as_updated)))
    return "goes";
  if (g_str_equal (what, "waiting") || g_str_equal (what, "waits"))
    return "waiting";
  if (g_str_equal (what, "gone") && job->sentence != NULL)
    return NULL;
  return g_str_equal (what, "gone")
                 || (reason >= 0 && g_strcmp0 (rows_at (rows, row, reason), "where") == 0)
             ? "no rule"
             : "kept";
}

static gboolean
ask_each (Step *step, const GPtrArray *keys, GHashTable *words, GError **error)
{
  g_auto (Halves) decided = { 0 };
  if (!halves_ask (step, keys, decide, "{}", &decided, error))
    return FALSE;
  for (guint i = 0; i < decided.failed->len; i++)
    g_hash_table_insert (words, g_strdup (decided.failed->pdata[i]), (gpointer) "failed");
  for (guint i = 0; i < decided.answers->len; i++)
    for (int row = 0; row < rows_count (decided.answers->pdata[i]); row++) {
      const PgRows *rows = decided.answers->pdata[i];
      const char *word = word_of (step->job, rows, row);
      if (word != NULL)
        g_hash_table_insert (words, g_strdup (rows_text (rows, row, "key")), (gpointer)word);
    }
  return TRUE;
}

gboolean
why_ask_each (Pg *pg, const Job *job, gint64 at_us, const GPtrArray *keys, int most_ms,
              GHashTable *words, gboolean *known, GError **error)
{
  g_autoptr (json_t) args = json_object ();
  g_autoptr (Run) run = plan_run_of (job, at_us, args);
  g_autoptr (Step) step = step_new_plan (pg, run);
  g_autofree char *limit = g_strdup_printf ("SET LOCAL statement_timeout = %d", most_ms);
  gboolean ok
      = pg_begin_read_only (pg, error) && pg_exec (pg, limit, error) && step_complete (step, error);
  *known = ok && can_be_asked (step->job);
  ok = ok && (!*known || ask_each (step, keys, words, error));
  pg_rollback (pg);
  return ok;
}

/* --- since when ------------------------------------------------------------------------------- */

static gboolean
goes_at (Pg *pg, const Job *job, gint64 at_us, const char *key, gboolean *goes, GError **error)
{
  g_auto (Why) why = { 0 };
  const gboolean ok = why_ask (pg, job, at_us, key, &why, error);
  *goes = why.goes;
  return ok;
}

gboolean
why_due (Pg *pg, const Job *job, gint64 at_us, const char *key, gint64 *due_us, GError **error)
{
  static const int days[] = { 1, 7, 30, 365, 3650, 36500 };
  gint64 before_us = at_us, due = -1;
  gboolean goes = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (days) && !goes; i++) {
    if (due >= 0)
      before_us = due;
    due = at_us + days[i] * G_TIME_SPAN_DAY;
    if (!goes_at (pg, job, due, key, &goes, error))
      return FALSE;
  }
  while (goes && due - before_us > G_USEC_PER_SEC) {
    const gint64 middle = before_us + (due - before_us) / 2;
    gboolean then;
    if (!goes_at (pg, job, middle, key, &then, error))
      return FALSE;
    *(then ? &due : &before_us) = middle;
  }
  *due_us = goes ? due : -1;
  return TRUE;
}
