#include "engine/step/plan.h"

#include "base/clock.h"
#include "base/uuid5.h"
#include "engine/job/in_force.h"
#include "engine/job/sentence/foreseen.h"
#include "engine/step/find.h"
#include "engine/step/halves.h"
#include "engine/step/held_below.h"
#include "engine/step/plan_below.h"
#include "engine/step/quarantine.h"
#include "engine/step/decide.h"

typedef struct {
  Step *step;
  const Job *job;
  GString *gone;          /* array literal, not closed yet: keys that earlier pages would remove */
  GPtrArray *going;       /* of char: keys that this page would remove, so far */
  int room;               /* keys that this page can still take; 0: it begins */
  PlanTally *tally;       /* NULL: nobody counts */
  const GPtrArray *below; /* what goes with its rows (foreseen.h) */
} Plan;

/* KIND: of the hold; "": it is in quarantine. */
static void
show_stays (Plan *plan, const char *key, const char *kind)
{
  const gboolean held = *kind != '\0';
  g_autofree char *counter = g_strconcat (held ? "kept_" : "passed_over", kind, NULL);
  step_plan_line (plan->step, plan->job->table, key, held ? "kept" : "parked",
                  held ? kind : "in quarantine");
  if (plan->tally != NULL)
    step_add_count (plan->tally->counts, counter, 1);
}

/* Shows items that are held, or wait in quarantine, as such. Returns the others. */
static gboolean
show_parked (Plan *plan, const GPtrArray *keys, GPtrArray *others, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) waits = NULL;
  for (guint i = 0; i < keys->len; i++)
    g_ptr_array_add (items, job_item (plan->job, keys->pdata[i]));
  g_autoptr (PgRows) rows = quarantine_known (plan->step, items, &waits, error);
  g_autofree const char **stays = g_new0 (const char *, keys->len + 1);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (g_array_index (waits, gboolean, i))
      stays[rows_int (rows, i, "row")]
          = rows_bool (rows, i, "held") ? rows_text (rows, i, "reason") : "";
  for (guint i = 0; i < keys->len; i++)
    if (stays[i] == NULL)
      g_ptr_array_add (others, keys->pdata[i]);
    else
      show_stays (plan, keys->pdata[i], stays[i]);
  return rows != NULL;
}

static void
tally_row (Plan *plan, const char *key, const char *word, const JobWhat *what)
{
  PlanTally *tally = plan->tally;
  if (tally == NULL)
    return;
  step_add_count (tally->counts, what != NULL ? what->counter : word, 1);
  if (what != NULL && what->counts_as_updated)
    step_add_count (tally->counts, "updated_rows", 1);
  tally->rows += what != NULL && what->apply->len > 0;
  if (what != NULL && (what->apply->len > 0 || plan->job->children != NULL)
      && tally->n_changed < PLAN_KEYS) {
    array_add (tally->changed, key);
    tally->n_changed++;
  }
}

static gboolean
tally_children (Plan *plan, PgRows *decided, GError **error)
{
  PlanTally *tally = plan->tally;
  if (tally == NULL)
    return TRUE;
  tally->keys += rows_count (decided);
  if (plan->job->children == NULL || rows_count (decided) == 0)
    return TRUE;
  g_autoptr (PgRows) children = decide_children (plan->step, decided, error);
  if (children == NULL)
    return FALSE;
  step_add_count (tally->counts, "scheduled", rows_count (children));
  tally->rows += rows_count (children);
  return TRUE;
}

/* A row that goes with one of an earlier page: a run does not find it. */
static gboolean
is_gone_before (const Plan *plan, const char *what)
{
  return plan->job->sentence != NULL && plan->gone->len > 1 && g_str_equal (what, "gone");
}

static int
count_gone_before (const Plan *plan, const PgRows *rows)
{
  int n = 0;
  for (int i = 0; i < rows_count (rows); i++)
    n += is_gone_before (plan, rows_text (rows, i, "what"));
  return n;
}

/* The keys of the next page are decided with those of this one gone. */
static void
end_page (Plan *plan)
{
  for (guint i = 0; i < plan->going->len; i++)
    array_add (plan->gone, plan->going->pdata[i]);
  g_ptr_array_set_size (plan->going, 0);
  plan->room = 0;
}

/* A row matters to later pages if decide's column `matters` says so, or if there is no such column.
 */
static void
show_decided (Plan *plan, const PgRows *rows)
{
  int matters = rows_column (rows, "matters");
  for (int i = 0; i < rows_count (rows); i++) {
    const char *key = rows_text (rows, i, "key"), *what = rows_text (rows, i, "what");
    const JobWhat *known = job_what (plan->job, what);
    if (is_gone_before (plan, what) || job_only_looked (plan->job, what))
      continue;
    tally_row (plan, key, what, known);
    step_plan_line (plan->step, plan->job->table, key, what,
                    rows_at (rows, i, rows_column (rows, "reason")));
    gboolean goes = known != NULL && known->apply->len > 0;
    if (goes && (matters < 0 || g_strcmp0 (rows_at (rows, i, matters), "t") == 0))
      g_ptr_array_add (plan->going, g_strdup (key));
  }
}

/* --- a page --- */

/* The reason of a page's only row. */
static void
note_reason (Plan *plan, const PgRows *rows)
{
  if (plan->tally == NULL || rows_count (rows) != 1 || rows_column (rows, "reason") < 0)
    return;
  g_free (plan->tally->reason);
  plan->tally->reason = g_strdup (rows_text (rows, 0, "reason"));
}

static PgRows *
decide (Step *step, const GPtrArray *keys, gconstpointer gone, GError **error)
{
  return decide_keys (step, keys, gone, NULL, error);
}

/* Rows at fault: their run quarantines them. */
static void
show_failed (Plan *plan, const Halves *decided)
{
  for (guint i = 0; i < decided->failed->len; i++) {
    tally_row (plan, decided->failed->pdata[i], "failed", NULL);
    step_plan_line (plan->step, plan->job->table, decided->failed->pdata[i], "failed",
                    decided->reasons->pdata[i]);
  }
}

/* Shows these as kept. Returns the others, which borrow from ROWS. NULL: an error. */
static PgRows *
show_held_below (Plan *plan, const PgRows *rows, GError **error)
{
  g_autoptr (GHashTable) kinds = held_below_kinds (plan->step->pg, plan->job, rows, error);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; kinds != NULL && i < rows_count (rows); i++) {
    const char *key = rows_text (rows, i, "key"), *kind = g_hash_table_lookup (kinds, key);
    if (kind != NULL)
      show_stays (plan, key, kind);
    else
      g_array_append_val (others, i);
  }
  return kinds != NULL ? rows_part (rows, (const int *)(const void *)others->data, others->len)
                       : NULL;
}

/* *BEFORE: how many of KEYS go with rows of earlier pages. */
static gboolean
decide_whole (Plan *plan, const GPtrArray *keys, int *before, GError **error)
{
  g_auto (Halves) decided = { .stops = plan->step->finds & FINDS_BY_ROWS }; /* its run ends, too */
  g_autofree char *gone = g_strconcat (plan->gone->str, "}", NULL);
  if (!halves_ask (plan->step, keys, decide, gone, &decided, error))
    return FALSE;
  show_failed (plan, &decided);
  *before = 0;
  for (guint i = 0; i < decided.answers->len; i++) {
    g_autoptr (PgRows) rows = show_held_below (plan, decided.answers->pdata[i], error);
    if (rows == NULL)
      return FALSE;
    *before += count_gone_before (plan, rows);
    show_decided (plan, rows);
    note_reason (plan, rows);
    if ((plan->tally != NULL && !plan_below (plan->step, plan->below, rows, plan->tally, error))
        || !tally_children (plan, rows, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
plan_page (Plan *plan, Page *page, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  int before = 0;
  /* The next keys: a page, or, of a page that a run would find without rows that are gone, the
   * rest. */
  if (plan->room == 0)
    plan->room = in_force_of (plan->job)->batch;
  if (!find_plan (plan->step, plan->room, page, error))
    return FALSE;
  plan->job = plan->step->job;
  if (page->keys->len == 0)
    return TRUE;
  if (!show_parked (plan, page->keys, keys, error))
    return FALSE;
  if (!decide_whole (plan, keys, &before, error))
    return FALSE;
  plan->room -= (int)page->keys->len - before;
  if (before == 0 || plan->room <= 0)
    end_page (plan);
  return TRUE;
}

static gboolean
plan_pages (Plan *plan, GError **error)
{
  gboolean more = TRUE, ok = TRUE;
  while (ok && more) {
    Page page = { 0 };
    if (plan->tally != NULL && clock_monotonic_us () >= plan->tally->deadline_us)
      return plan->tally->more = TRUE;
    ok = plan_page (plan, &page, error);
    more = page.more;
    if (ok && more) {
      g_clear_pointer (&plan->step->run->cursor, json_decref);
      plan->step->run->cursor = g_steal_pointer (&page.cursor);
      run_progress_take (&plan->step->run->progress, &page.progress);
    }
    page_clear (&page);
  }
  return ok;
}

static gboolean
plan_all (Step *step, GString *gone, PlanTally *tally, GError **error)
{
  g_autoptr (GPtrArray) going = g_ptr_array_new_with_free_func (g_free),
                        below = foreseen_read (step->pg, step->job, error);
  if (below == NULL)
    return FALSE;
  Plan plan = {
    .step = step, .job = step->job, .gone = gone, .going = going, .tally = tally, .below = below
  };
  gboolean ok = plan_pages (&plan, error);
  end_page (&plan);
  return ok;
}

void
plan_tally_init (PlanTally *tally, const char *gone)
{
  *tally = (PlanTally){ .deadline_us = G_MAXINT64,
                        .gone = gone != NULL ? g_string_new (gone) : array_new (),
                        .counts = json_object (),
                        .tables = json_object (),
                        .emptied = json_object (),
                        .changed = array_new () };
}

void
plan_tally_clear (PlanTally *tally)
{
  g_string_free (tally->gone, TRUE);
  g_string_free (tally->changed, TRUE);
  g_clear_pointer (&tally->counts, json_decref);
  g_clear_pointer (&tally->tables, json_decref);
  g_clear_pointer (&tally->emptied, json_decref);
  g_free (tally->reason);
}

gboolean
plan_tally (Step *step, PlanTally *tally, GError **error)
{
  return plan_all (step, tally->gone, tally, error);
}

Run *
plan_run_of (const Job *job, gint64 at_us, const json_t *args)
{
  Run *run = g_new0 (Run, 1);
  run->run_id = g_strdup (PRUNED_UUID_NAMESPACE);
  run->job = job;
  run->scheduled_at_us = run->due_at_us = run->now_us = at_us;
  run->args = json_deep_copy (args);
  run->holds = TRUE; /* no fence has read whether rows are held */
  return run;
}

/* Who counts the rows of count.sql counts these, too (brakes/count.h). */
static gboolean
show_rows_below (Step *step, PlanTally *tally, GError **error)
{
  const gboolean ok = plan_below_rows (step, G_MAXINT64, tally, error);
  tally->rows = tally->below = 0;
  return ok;
}

gboolean
plan_run (Pg *pg, const Job *job, gint64 at_us, const json_t *args, StepVisit visit, gpointer data,
          PlanTally *tally, gboolean *known, GError **error)
{
  g_autoptr (Run) run = plan_run_of (job, at_us, args);
  g_autoptr (Step) step = step_new_plan (pg, run);
  step_plan_by (step, visit, data);
  gboolean ok = pg_begin_read_only (pg, error) && step_complete (step, error);
  job = step->job;
  if (ok && job->code != NULL && job->code->plan != NULL) {
    ok = show_rows_below (step, tally, error) && plan_below_of_code (step, tally, error);
    if (job->code->foresee != NULL) /* which counts them with the rows of count.sql */
      tally->rows = tally->below = 0;
  } else if (ok && job->page != NULL)
    ok = plan_all (step, tally->gone, tally, error);
  *known = job->page != NULL && (job->code == NULL || job->code->plan == NULL);
  pg_rollback (pg);
  return ok;
}
