#include "engine/step/many.h"

#include "engine/job/in_force.h"
#include "engine/step/guard.h"
#include "engine/step/page_event.h"
#include "engine/step/quarantine.h"
#include "engine/step/record.h"
#include "engine/step/trial.h"

typedef struct {
  Step *step; /* borrowed */
  Page page;
  gboolean asked, out; /* its page is read by page.sql; it is not done here */
  gboolean named;      /* an event names its row, and the table how that is written */
  GArray *rows;        /* of int: those of the decision that are about its keys */
} One;

static void
one_clear (gpointer data)
{
  One *one = data;
  page_clear (&one->page);
  g_clear_pointer (&one->rows, g_array_unref);
}

/* --- which jobs and runs --- */

static gboolean
reads_run (const PgStatement *statement)
{
  return statement != NULL
         && (pg_statement_wants (statement, "run_id") || pg_statement_wants (statement, "step"));
}

static gboolean
fits_what (const Job *job, const JobWhat *what)
{
  const guint own = job_own_file (job, what);
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *file = &g_array_index (what->apply, JobApply, i);
    const gboolean same = g_strcmp0 (file->table, job->table) == 0;
    if (file->many == NULL || (file->kind != APPLY_INSERT && !file->owned && (i != own || !same)))
      return FALSE;
  }
  return TRUE;
}

gboolean
many_fits (const Job *job)
{
  gboolean fits = job->code == NULL && job->table != NULL && !job_asks_first (job)
                  && job->children == NULL && job->remains == NULL && job->count == NULL
                  && job->large == NULL && !job->spacing && job->kind->shares
                  && !reads_run (job->decide);
  for (guint i = 0; i < job->locks->len; i++)
    fits = fits && !reads_run (job->locks->pdata[i]);
  for (guint i = 0; i < job->whats->len; i++)
    fits = fits && fits_what (job, job->whats->pdata[i]);
  return fits;
}

/* Whether a statement behind the page reads PARAMETER, which is each run's own. */
static gboolean
reads (const Job *job, const char *parameter)
{
  gboolean any = job->decide != NULL && pg_statement_wants (job->decide, parameter);
  for (guint i = 0; i < job->locks->len; i++)
    any = any || pg_statement_wants (job->locks->pdata[i], parameter);
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len; k++)
      any = any || pg_statement_wants (g_array_index (apply, JobApply, k).many, parameter);
  }
  return any;
}

/* Leaves out the runs for which these statements would be bound otherwise than for the first. */
static void
leave_others (GArray *all)
{
  const Run *first = g_array_index (all, One, 0).step->run;
  gboolean args = reads (first->job, "args"), time = reads (first->job, "scheduled_at");
  for (guint i = 1; i < all->len; i++) {
    One *one = &g_array_index (all, One, i);
    const Run *run = one->step->run;
    one->out = (args && !json_equal (run->args, first->args))
               || (time && run->scheduled_at_us != first->scheduled_at_us);
  }
}

/* --- pages --- */

static gboolean
ask_page (One *one, GError **error)
{
  Step *step = one->step;
  const Job *job = step->job;
  if (page_of_event (step->run, &one->page)) {
    one->out = job->event_key != NULL && json_is_array (json_object_get (step->run->args, "parts"));
    one->named = job->named != NULL && !one->out;
    return !one->named || page_queue_name (step, &one->page, error);
  }
  one->out = job->page == NULL || job_only_names_rows (job);
  if (one->out)
    return TRUE;
  one->asked = step->found = TRUE;
  g_autoptr (PgValues) values
      = page_values (step, (int)step_limit (step, in_force_of (job)->batch));
  return pg_queue (step->pg, job->page, values, error);
}

static gboolean
take_page (One *one, GError **error)
{
  Step *step = one->step;
  if (one->named)
    return page_take_name (step, &one->page, error);
  g_autoptr (PgRows) rows = pg_next (step->pg, error);
  if (rows == NULL || !page_is_one (step->job, rows, error))
    return FALSE;
  page_read (step->run, rows, (int)step_limit (step, in_force_of (step->job)->batch), &one->page);
  return TRUE;
}

static gboolean
find_pages (GArray *all, GError **error)
{
  Pg *pg = g_array_index (all, One, 0).step->pg;
  gboolean asked = FALSE;
  for (guint i = 0; i < all->len; i++) {
    One *one = &g_array_index (all, One, i);
    if (!one->out && !ask_page (one, error))
      return FALSE;
    asked |= one->asked || one->named;
  }
  if (asked && !pg_flush (pg, error))
    return FALSE;
  for (guint i = 0; i < all->len; i++) {
    One *one = &g_array_index (all, One, i);
    if ((one->asked || one->named) && !take_page (one, error))
      return FALSE;
  }
  return !asked || pg_finish (pg, error);
}

/* Adds the keys of ONE to SEEN. FALSE: one of them was there. */
static gboolean
add_keys (const One *one, GHashTable *seen)
{
  gboolean fresh = TRUE;
  for (guint i = 0; i < one->page.keys->len; i++)
    fresh &= g_hash_table_add (seen, one->page.keys->pdata[i]);
  return fresh;
}

/* Leaves out the runs whose page is not their last one, or is wrong, or has a key that an earlier
 * run has: it sees what that one has done. */
static void
leave_unfit (GArray *all, gint64 most)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gint64 n = 0;
  for (guint i = 0; i < all->len; i++) {
    One *one = &g_array_index (all, One, i);
    if (one->page.keys == NULL)
      continue;
    gint64 rows = one->page.keys->len;
    gboolean fresh = add_keys (one, seen);
    one->out |= !fresh || one->page.more || n + rows > most
                || !guard_page_advances (one->step->run, &one->page);
    n += one->out ? 0 : rows;
  }
}

/* --- quarantine --- */

/* A run with a row in quarantine is stepped alone. */
static gboolean
leave_quarantined (GArray *all, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) owners = g_ptr_array_new ();
  g_autoptr (GArray) over = NULL;
  for (guint i = 0; i < all->len; i++) {
    One *one = &g_array_index (all, One, i);
    for (guint k = 0; !one->out && k < one->page.keys->len; k++) {
      g_ptr_array_add (items, job_item (one->step->job, one->page.keys->pdata[k]));
      g_ptr_array_add (owners, one);
    }
  }
  if (items->len == 0)
    return TRUE;
  g_autoptr (PgRows) rows
      = quarantine_known (g_array_index (all, One, 0).step, items, &over, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    ((One *)owners->pdata[rows_int (rows, i, "row")])->out = TRUE;
  return rows != NULL;
}

/* --- what they do --- */

static gboolean
has_keys (const One *one)
{
  return !one->out && one->page.keys->len > 0;
}

typedef struct {
  GPtrArray *keys;               /* of char: of all of them, borrowed */
  GHashTable *owner;             /* key -> One */
  GString *run_ids, *steps, *of; /* of each key: array literals */
  Step *lead;                    /* the step of which the statements are run, for all */
} Union;

static void
add_one (Union *all, One *one)
{
  all->lead = all->lead != NULL ? all->lead : one->step;
  all->lead->found &= one->asked;
  one->rows = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; i < one->page.keys->len; i++) {
    char *key = one->page.keys->pdata[i];
    g_ptr_array_add (all->keys, key);
    g_hash_table_insert (all->owner, key, one);
    array_add (all->run_ids, one->step->run->run_id);
    array_add_int (all->steps, one->step->run->step);
    array_add (all->of, key);
  }
}

/* What TRIAL has done about the keys of ONE. SHARE: what changed beside each of its rows. */
static gboolean
record_one (const One *one, const Trial *trial, const json_t *share, GHashTable *nothing,
            GError **error)
{
  const int *rows = (const int *)(gpointer)one->rows->data;
  g_autofree const char **what = g_new0 (const char *, one->rows->len + 1);
  for (guint i = 0; i < one->rows->len; i++)
    what[i] = trial->what[rows[i]];
  g_autoptr (PgRows) decided = rows_part (trial->decided, rows, one->rows->len);
  g_autoptr (json_t) beside = json_object ();
  TrialBelow below = { .tables = beside };
  for (guint i = 0; i < one->page.keys->len; i++)
    trial_add_below (trial, one->page.keys->pdata[i], &below);
  for (gint64 n = trial_changed (one->step->job, what, (int)one->rows->len); n > 0; n--)
    step_add_counts (beside, share);
  const Trial part = { .decided = decided,
                       .what = what,
                       .below = below.others,
                       .own_below = below.own,
                       .effects.beside.counts = beside };
  return record_trial (one->step, one->page.keys, &part, NULL, nothing, error);
}

static gboolean
record_all (const Union *all, GArray *ones, const Trial *trial, GError **error)
{
  g_autoptr (GHashTable) nothing = g_hash_table_new (g_str_hash, g_str_equal);
  int key = rows_column (trial->decided, "key");
  for (int i = 0; i < rows_count (trial->decided); i++) {
    const One *one = g_hash_table_lookup (all->owner, rows_at (trial->decided, i, key));
    if (one == NULL)
      return step_fail (all->lead, error, PRUNED_BUSY,
                        "a key is written differently than in its run; each run is tried alone");
    g_array_append_val (one->rows, i);
  }
  const gint64 n = trial_changed (all->lead->job, trial->what, rows_count (trial->decided));
  g_autoptr (json_t) share = beside_share (&trial->effects.beside, n);
  if (share == NULL)
    return step_fail (all->lead, error, PRUNED_BUSY,
                      "rows of other tables changed; each run is tried alone");
  for (guint i = 0; i < ones->len; i++) {
    const One *one = &g_array_index (ones, One, i);
    if (has_keys (one) && !record_one (one, trial, share, nothing, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
apply_all (const Union *all, const char *const *texts, GArray *ones, GError **error)
{
  static const char *const names[] = { "audit.run_id", "audit.step", "audit.key" };
  g_autoptr (GPtrArray) of_names = g_ptr_array_new (), of_texts = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_ptr_array_add (of_names, (gpointer)names[i]);
    g_ptr_array_add (of_texts, (gpointer)texts[i]);
  }
  const Extra extra = { of_names, of_texts };
  g_autofree char *reason = NULL;
  Trial trial = { 0 };
  all->lead->many = TRUE;
  gboolean ok = trial_run (all->lead, all->keys, &extra, TRUE, &trial, &reason, error);
  all->lead->many = FALSE;
  ok = ok && record_all (all, ones, &trial, error);
  trial_clear (&trial);
  return ok;
}

/* A single run is not done here: page.c does it. */
static void
leave_single (GArray *ones)
{
  guint n = 0;
  for (guint i = 0; i < ones->len; i++)
    n += has_keys (&g_array_index (ones, One, i));
  for (guint i = 0; n == 1 && i < ones->len; i++)
    g_array_index (ones, One, i).out |= has_keys (&g_array_index (ones, One, i));
}

static gboolean
step_all (GArray *ones, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GHashTable) owner = g_hash_table_new (g_str_hash, g_str_equal);
  Union all = { keys, owner, array_new (), array_new (), array_new (), NULL };
  for (guint i = 0; i < ones->len; i++)
    if (has_keys (&g_array_index (ones, One, i)))
      add_one (&all, &g_array_index (ones, One, i));
  g_autofree char *run_ids = array_take (all.run_ids), *steps = array_take (all.steps),
                  *of = array_take (all.of);
  const char *const texts[] = { run_ids, steps, of };
  return keys->len == 0 || apply_all (&all, texts, ones, error);
}

gboolean
many_run (GPtrArray *steps, gint64 most, GError **error)
{
  g_autoptr (GArray) ones = g_array_new (FALSE, TRUE, sizeof (One));
  g_array_set_clear_func (ones, one_clear);
  for (guint i = 0; i < steps->len; i++) {
    One one = { .step = steps->pdata[i] };
    g_array_append_val (ones, one);
  }
  leave_others (ones);
  if (!find_pages (ones, error))
    return FALSE;
  leave_unfit (ones, most);
  if (!leave_quarantined (ones, error))
    return FALSE;
  leave_single (ones);
  if (!step_all (ones, error))
    return FALSE;
  for (guint i = ones->len; i-- > 0;)
    if (g_array_index (ones, One, i).out)
      g_ptr_array_remove_index (steps, i);
  return TRUE;
}
