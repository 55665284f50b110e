/* Steps of several runs as one. */
#include "engine/step/page.h"

#include "engine/step/find.h"
#include "engine/step/guard.h"
#include "engine/step/quarantine.h"
#include "engine/step/record.h"
#include "engine/step/trial.h"

#include "base/json.h"

static Find *
find_at (GArray *finds, guint i)
{
  return &g_array_index (finds, Find, i);
}

/* --- which jobs and runs --- */

static gboolean
fits_what (const Job *job, const JobWhat *what)
{
  const guint own = job_own_file (job, what);
  for (guint i = 0; i < what->apply->len; i++) {
    const JobApply *file = &g_array_index (what->apply, JobApply, i);
    const gboolean same = g_strcmp0 (file->table, job->table) == 0;
    const gboolean whose = file->kind == APPLY_INSERT || file->owned != NULL || (i == own && same);
    if (!whose || file->reads_all)
      return FALSE;
  }
  return TRUE;
}

/* Whether a statement behind the page reads PARAMETER, which is each run's own. */
static gboolean
reads (const Job *job, const char *parameter)
{
  gboolean any = (job->decide != NULL && pg_statement_wants (job->decide, parameter))
                 || (job->remains != NULL && pg_statement_wants (job->remains, parameter));
  for (guint i = 0; i < job->locks->len; i++)
    any = any || pg_statement_wants (job->locks->pdata[i], parameter);
  for (guint i = 0; i < job->whats->len; i++) {
    const GArray *apply = ((const JobWhat *)job->whats->pdata[i])->apply;
    for (guint k = 0; k < apply->len && !any; k++)
      any = pg_statement_wants (g_array_index (apply, JobApply, k).statement, parameter);
  }
  return any;
}

gboolean
page_set_fits (const Job *job)
{
  gboolean fits = job->code == NULL && job->table != NULL && !job_asks_first (job)
                  && job->children == NULL && job->count == NULL && job->large == NULL
                  && !job->spacing && job->kind->shares;
  for (guint i = 0; i < job->whats->len; i++)
    fits = fits && fits_what (job, job->whats->pdata[i]);
  return fits && !reads (job, "run_id") && !reads (job, "step");
}

static gboolean
has_keys (const Find *find)
{
  return !find->out && find->page.keys->len > 0;
}

/* Leaves out the runs for which these statements would be bound otherwise than for the first, and
 * those of which page.sql or an event does not name the keys. */
static void
leave_others (GArray *finds)
{
  const Run *first = find_at (finds, 0)->step->run;
  gboolean args = reads (first->job, "args"), time = reads (first->job, "scheduled_at");
  for (guint i = 0; i < finds->len; i++) {
    Find *find = find_at (finds, i);
    const Run *run = find->step->run;
    find->out = (find->way != FIND_PAGE && find->way != FIND_NAMED)
                || (args && !json_equal (run->args, first->args))
                || (time && run->scheduled_at_us != first->scheduled_at_us);
  }
}

/* Adds the keys of FIND to SEEN. FALSE: one of them was there. */
static gboolean
add_keys (const Find *find, GHashTable *seen)
{
  gboolean fresh = TRUE;
  for (guint i = 0; i < find->page.keys->len; i++)
    fresh &= g_hash_table_add (seen, find->page.keys->pdata[i]);
  return fresh;
}

/* Leaves out the runs whose page is not their last one, or is wrong, or has a key that an earlier
 * run has: it sees what that one has done. */
static void
leave_unfit (GArray *finds, gint64 most)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gint64 n = 0;
  for (guint i = 0; i < finds->len; i++) {
    Find *find = find_at (finds, i);
    if (find->page.keys == NULL)
      continue;
    gint64 rows = find->page.keys->len;
    gboolean fresh = add_keys (find, seen);
    find->out |= !fresh || find->page.more || n + rows > most
                 || !guard_page_advances (&find->run, &find->page);
    n += find->out ? 0 : rows;
  }
}

/* A run with a row in quarantine is stepped by itself. */
static gboolean
leave_quarantined (GArray *finds, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) owners = g_ptr_array_new ();
  g_autoptr (GArray) over = NULL;
  for (guint i = 0; i < finds->len; i++) {
    Find *find = find_at (finds, i);
    for (guint k = 0; !find->out && k < find->page.keys->len; k++) {
      g_ptr_array_add (items, job_item (find->step->job, find->page.keys->pdata[k]));
      g_ptr_array_add (owners, find);
    }
  }
  if (items->len == 0)
    return TRUE;
  g_autoptr (PgRows) rows = quarantine_known (find_at (finds, 0)->step, items, &over, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    ((Find *)owners->pdata[rows_int (rows, i, "row")])->out = TRUE;
  return rows != NULL;
}

/* A single run is not done here: page.c does it. */
static void
leave_single (GArray *finds)
{
  guint n = 0;
  for (guint i = 0; i < finds->len; i++)
    n += has_keys (find_at (finds, i));
  for (guint i = 0; n == 1 && i < finds->len; i++)
    find_at (finds, i)->out |= has_keys (find_at (finds, i));
}

/* --- what they do --- */

typedef struct {
  GPtrArray *keys;          /* of char: of all of them, borrowed */
  GHashTable *owner;        /* key -> Find */
  GString *run_ids, *steps; /* of all: array literals */
  json_t *of;               /* key -> the place of its run in these */
  Step *lead;               /* the step of which the statements are run, for all */
} Union;

static void
add_one (Union *all, Find *find, int n)
{
  const Run *run = find->step->run;
  all->lead = all->lead != NULL ? all->lead : find->step;
  all->lead->found &= find->way == FIND_PAGE;
  find->rows = g_array_new (FALSE, FALSE, sizeof (int));
  array_add (all->run_ids, run->run_id);
  array_add_int (all->steps, run->step);
  for (guint i = 0; i < find->page.keys->len; i++) {
    char *key = find->page.keys->pdata[i];
    g_ptr_array_add (all->keys, key);
    g_hash_table_insert (all->owner, key, find);
    json_object_set_new (all->of, key, json_integer (n));
  }
}

/* What TRIAL has done about the keys of FIND. SHARE: what changed beside each of its rows. */
static gboolean
record_one (const Find *find, const Trial *trial, const json_t *share, GHashTable *nothing,
            GError **error)
{
  const GPtrArray *keys = find->page.keys;
  Step *step = find->step;
  const int *rows = (const int *)(gpointer)find->rows->data;
  g_autofree const char **what = g_new0 (const char *, find->rows->len + 1);
  for (guint i = 0; i < find->rows->len; i++)
    what[i] = trial->what[rows[i]];
  g_autoptr (PgRows) decided = rows_part (trial->decided, rows, find->rows->len);
  g_autoptr (json_t) beside = json_object ();
  TrialBelow below = { .tables = beside };
  for (guint i = 0; i < keys->len; i++)
    trial_add_below (trial, keys->pdata[i], &below);
  for (gint64 n = trial_changed (step->job, what, (int)find->rows->len); n > 0; n--)
    step_add_counts (beside, share);
  const Trial part = { .decided = decided,
                       .what = what,
                       .below = below.others,
                       .own_below = below.own,
                       .effects.beside.counts = beside };
  return record_trial (step, keys, &part, NULL, nothing, error);
}

static gboolean
record_all (const Union *all, GArray *finds, const Trial *trial, GError **error)
{
  g_autoptr (GHashTable) nothing = g_hash_table_new (g_str_hash, g_str_equal);
  int key = rows_column (trial->decided, "key");
  for (int i = 0; i < rows_count (trial->decided); i++) {
    const Find *find = g_hash_table_lookup (all->owner, rows_at (trial->decided, i, key));
    if (find == NULL)
      return step_fail (all->lead, error, PRUNED_BUSY,
                        "a key is written differently than in its run; each run is tried alone");
    g_array_append_val (find->rows, i);
  }
  const gint64 n = trial_changed (all->lead->job, trial->what, rows_count (trial->decided));
  g_autoptr (json_t) share = beside_share (&trial->effects.beside, n);
  if (share == NULL)
    return step_fail (all->lead, error, PRUNED_BUSY,
                      "rows of other tables changed; each run is tried alone");
  for (guint i = 0; i < finds->len; i++)
    if (has_keys (find_at (finds, i))
        && !record_one (find_at (finds, i), trial, share, nothing, error))
      return FALSE;
  return TRUE;
}

static gboolean
apply_all (const Union *all, const char *const *texts, GArray *finds, GError **error)
{
  static const char *const names[] = { "audit.run_id", "audit.step", "audit.of" };
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
  ok = ok && record_all (all, finds, &trial, error);
  trial_clear (&trial);
  return ok;
}

static gboolean
step_all (GArray *finds, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GHashTable) owner = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (json_t) places = json_object ();
  Union all = { keys, owner, array_new (), array_new (), places, NULL };
  int n = 0;
  for (guint i = 0; i < finds->len; i++)
    if (has_keys (find_at (finds, i)))
      add_one (&all, find_at (finds, i), ++n);
  g_autofree char *run_ids = array_take (all.run_ids), *steps = array_take (all.steps),
                  *of = json_text (places);
  const char *const texts[] = { run_ids, steps, of };
  return keys->len == 0 || apply_all (&all, texts, finds, error);
}

/* Those that are out are taken out of STEPS; what was found for them is kept. */
static void
take_out (GPtrArray *steps, GArray *finds)
{
  for (guint i = steps->len; i-- > 0;) {
    Find *find = find_at (finds, i);
    if (!find->out)
      continue;
    if (find->way == FIND_PAGE)
      found_pages_keep (find->step->pages, find->step->run, &find->page);
    g_ptr_array_remove_index (steps, i);
  }
  for (guint i = 0; i < finds->len; i++)
    if (!find_at (finds, i)->out)
      find_kept_used (find_at (finds, i)->step, &find_at (finds, i)->page);
}

gboolean
page_set_apply (GPtrArray *steps, gint64 most, GError **error)
{
  g_autoptr (GArray) finds = find_array (steps, find_begin);
  leave_others (finds);
  if (!find_pages ((Find *)(gpointer)finds->data, finds->len, error))
    return FALSE;
  leave_unfit (finds, most);
  if (!leave_quarantined (finds, error))
    return FALSE;
  leave_single (finds);
  if (!step_all (finds, error))
    return FALSE;
  take_out (steps, finds);
  return TRUE;
}
