/* Length: a reader follows a page from what is asked to what is kept of the answer.
 */
#include "engine/step/find.h"

#include "engine/job/in_force.h"
#include "engine/job/job_ranges.h"
#include "engine/job/sentence/sentence_key.h"
#include "engine/step/busy.h"
#include "engine/step/guard.h"
#include "engine/step/pace.h"
#include "engine/step/portion.h"
#include "engine/step/ranges.h"
#include "engine/step/replica.h"
#include "engine/step/row_again.h"

#define NOT_A_TEXT "22021" /* in a database that does not check its texts */
#define REMEDY                                                                                         \
  ": a row makes the search fail, and which one is not known, so no row goes. Write a condition that " \
  "cannot fail: CASE WHEN code ~ '^[0-9]{1,9}$' THEN code::int > 5 END"

/* --- pages that are found before the step that uses them --- */

struct _FoundPages {
  GHashTable *of_run; /* run id -> Page */
  GHashTable *gone;   /* keys that steps have had since one was kept */
  gint64 room;        /* further keys */
};

static void
free_page (gpointer page)
{
  page_clear (page);
  g_free (page);
}

FoundPages *
found_pages_new (gint64 most)
{
  FoundPages *pages = g_new0 (FoundPages, 1);
  pages->of_run = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_page);
  pages->gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  pages->room = most;
  return pages;
}

void
found_pages_free (FoundPages *pages)
{
  if (pages == NULL)
    return;
  g_hash_table_destroy (pages->of_run);
  g_hash_table_destroy (pages->gone);
  g_free (pages);
}

void
found_pages_keep (FoundPages *pages, const Run *run, Page *page)
{
  if (pages == NULL || page->keys == NULL || page->keys->len > pages->room)
    return;
  pages->room -= page->keys->len;
  g_hash_table_replace (pages->of_run, g_strdup (run->run_id), g_memdup2 (page, sizeof *page));
  *page = (Page){ 0 };
}

/* Rows that went below those of a page can be of any other. */
void
find_kept_used (const Step *step, const Page *page)
{
  FoundPages *pages = step->pages;
  if (pages == NULL || g_hash_table_size (pages->of_run) == 0)
    return;
  if (step->own_below > 0)
    g_hash_table_remove_all (pages->of_run);
  for (guint i = 0; i < page->keys->len; i++)
    g_hash_table_add (pages->gone, g_strdup (page->keys->pdata[i]));
}

/* A page that is cut has to have the answer of page.sql beside it, so it is asked anew. */
/* FIND gets the page that was kept for its run, if that is still one. */
static gboolean
find_kept_take (Find *find)
{
  FoundPages *pages = find->step->pages;
  Page *kept = pages != NULL ? g_hash_table_lookup (pages->of_run, find->run.run_id) : NULL;
  if (kept == NULL || find->way != FIND_PAGE || find->cuts)
    return FALSE;
  gboolean holds = (gint64)kept->keys->len <= find->limit;
  for (guint i = 0; holds && i < kept->keys->len; i++)
    holds = !g_hash_table_contains (pages->gone, kept->keys->pdata[i]);
  pages->room += kept->keys->len;
  if (holds) {
    find->page = *kept;
    *kept = (Page){ 0 };
  }
  g_hash_table_remove (pages->of_run, find->run.run_id);
  return holds;
}

/* --- what to find --- */

static gboolean
may_be_divided (const Run *run)
{
  const Job *job = run->job;
  return in_force_of (job)->ranges > 1 && job->page_split != NULL && !run_in_ranges (run)
         && !job_is_asked (job, run->args) && job_ranges_refusal (job) == NULL;
}

/* Of StepFinds: all that RUN says about it. */
static guint
finds_of (const Run *run)
{
  const RunProgress *progress = &run->progress;
  const gboolean ranges = run_in_ranges (run),
                 busy = json_integer_value (json_object_get (run->result, BUSY_COUNTER)) > 0;
  return (job_event_of (run->job, run->args) != NULL ? FINDS_FOR_EVENT : 0)
         | (ranges ? FINDS_IN_RANGES : 0) | (ranges && ranges_beside (run) ? FINDS_BESIDE : 0)
         | (may_be_divided (run) ? FINDS_TO_DIVIDE : 0)
         | (run->job->large != NULL ? FINDS_IN_PORTIONS : 0)
         | (progress->portion != NULL ? FINDS_BEGUN : 0)
         | (job_goes_by_rows (run->job) ? FINDS_BY_ROWS : 0)
         | (busy || progress->looks > 0 ? FINDS_AGAIN : 0);
}

/* A standby need not have the rows yet that an event is about. */
void
find_decide (Step *step)
{
  const Run *run = step->run;
  step->finds = finds_of (run);
  if (step->replica != NULL && !(step->finds & FINDS_IN_RANGES)
      && !job_is_asked (run->job, run->args))
    step->finds |= FINDS_ON_STANDBY;
}

gboolean
find_is_plain (const Run *run)
{
  const guint alone = FINDS_IN_RANGES | FINDS_BEGUN | FINDS_AGAIN;
  return !(finds_of (run) & alone) && run->progress.by_rows == 0;
}

static FindWay
way_of (const Step *step, const Run *run)
{
  const Job *job = step->job;
  if (page_is_named (run))
    return FIND_NAMED;
  if (step->finds & FINDS_BEGUN && portion_is_begun (step))
    return FIND_BEGUN;
  if (step->finds & FINDS_AGAIN && busy_is_decided (step))
    return FIND_BUSY;
  /* Without `where`, the page of a sentence is the whole table. */
  const gboolean looks = job_is_asked (job, run->args) || !job_only_names_rows (job);
  return job->page != NULL && looks ? FIND_PAGE : FIND_NOTHING;
}

Find
find_for (Step *step)
{
  find_decide (step);
  Find find = { .step = step,
                .run = step->continues ? step_run_ahead (step) : *step->run,
                .cuts = step->finds & FINDS_IN_PORTIONS };
  find.limit = pace_page_limit (&find.run);
  find.way = way_of (step, &find.run);
  find.standby = find.way == FIND_PAGE && step->finds & FINDS_ON_STANDBY;
  return find;
}

static void
may_pass_busy (Step *step, gboolean may)
{
  step->passes_busy = may;
  if (may && step->run->progress.looks > 0 && step->bisect != NULL)
    step->bisect->locked = TRUE; /* the step before has waited for them */
}

void
step_passes_busy (Step *step)
{
  may_pass_busy (step, TRUE);
}

Find
find_begin (Step *step)
{
  const Find find = find_for (step);
  if (step->run->waits_for != NULL)
    row_again_begin (step);
  may_pass_busy (step, find.way != FIND_NAMED && !job_is_asked (step->job, step->run->args));
  if (find.way == FIND_PAGE || find.way == FIND_BUSY)
    step_limit (step, in_force_of (step->job)->batch);
  return find;
}

static void
find_clear (gpointer find)
{
  page_clear (&((Find *)find)->page);
  g_clear_pointer (&((Find *)find)->rows, g_array_unref);
}

GArray *
find_array (const GPtrArray *steps, Find (*find) (Step *step))
{
  GArray *all = g_array_sized_new (FALSE, FALSE, sizeof (Find), steps->len);
  g_array_set_clear_func (all, find_clear);
  for (guint i = 0; i < steps->len; i++) {
    const Find one = find (steps->pdata[i]);
    g_array_append_val (all, one);
  }
  return all;
}

/* --- the key of an event --- */

/* The table could not be read when the event came: its key is still as the event has it. */
static gboolean
write_key (Step *step, Page *page, GError **error)
{
  const json_t *parts = json_object_get (step->run->args, "parts"), *part;
  gsize i;
  if (step->job->event_key == NULL || !json_is_array (parts))
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  json_array_foreach ((json_t *)parts, i, part) {
    g_autofree char *parameter = sentence_key_parameter ((guint)i);
    GString *text = array_new ();
    array_add (text, json_string_value (part));
    pg_values_take (values, parameter, array_take (text));
  }
  g_autoptr (PgRows) rows = pg_run (step->pg, step->job->event_key, values, error);
  if (rows == NULL) {
    if (pg_is_no_value (step->pg))
      (*error)->code = PRUNED_REJECT;
    return FALSE;
  }
  if (!guard_columns (step->job->event_key, rows, "key", error))
    return FALSE;
  if (rows_count (rows) != 1)
    return step_fail (step, error, PRUNED_RETRY, "%s returns %d rows for one event",
                      pg_statement_name (step->job->event_key), rows_count (rows));
  const char *key = rows_text (rows, 0, "key");
  if (key == NULL)
    return step_fail (step, error, PRUNED_REJECT, "args: the key: " KEY_INEXACT);
  page_set_key (page, key);
  return TRUE;
}

/* --- asking --- */

/* What of FIND can be said without asking, and whether a question is left. */
static gboolean
begin (Find *find, gboolean *asks, GError **error)
{
  Step *step = find->step;
  *asks = FALSE;
  switch (find->way) {
  case FIND_NAMED:
    page_set_named (&find->run, &find->page);
    *asks = step->job->named != NULL;
    return write_key (step, &find->page, error);
  case FIND_BEGUN:
    portion_set_page (step, &find->page);
    return TRUE;
  case FIND_BUSY:
    return busy_set_page (step, find->limit, &find->page, error);
  case FIND_PAGE:
    *asks = !find_kept_take (find);
    step->found = !(step->finds & FINDS_BY_ROWS);
    return TRUE;
  default:
    return step_fail (step, error, PRUNED_REJECT, "args: expected a key of a row, because %s",
                      step->job->page == NULL
                          ? "the job has no page.sql"
                          : "the job takes no ticks: events name its rows (on)");
  }
}

static const PgStatement *
statement_of (const Find *find)
{
  const Step *step = find->step;
  const gboolean ends = step->finds & FINDS_IN_RANGES && ranges_has (step->run, "until");
  return find->way == FIND_NAMED ? step->job->named
         : ends                  ? step->job->page_until
                                 : step->job->page;
}

/* How a table writes the key of an event (`1.10` and `1.1` are one number), or the rows of a page.
 */
static PgValues *
values_of (Find *find)
{
  Step *step = find->step;
  if (find->way == FIND_PAGE)
    return step->continues ? page_values_of (step, &find->run, find->limit)
                           : page_values (step, find->limit);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "key", array_of_texts (find->page.keys));
  return values;
}

static gboolean
take_rows (Find *find, const PgRows *rows, GError **error)
{
  const Job *job = find->step->job;
  if (find->way == FIND_PAGE) {
    if (!guard_page_columns (job, rows, error))
      return FALSE;
    page_read (&find->run, rows, find->limit, &find->page);
    return TRUE;
  }
  if (!guard_whole (job->named, rows, "key", error))
    return FALSE;
  if (rows_count (rows) == 1)
    page_set_key (&find->page, rows_text (rows, 0, "key"));
  return TRUE;
}

/* Queues the question of FIND, if it is not in KNOWN (question -> number, from 1 on). */
static gboolean
queue (Find *find, const PgValues *values, GHashTable *known, GError **error)
{
  const PgStatement *statement = statement_of (find);
  g_autofree char *words = pg_values_words (values, statement),
                  *question = g_strconcat (pg_statement_name (statement), "\n", words, NULL);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (known, question));
  const gboolean fresh = number == 0;
  if (fresh) {
    number = g_hash_table_size (known) + 1;
    g_hash_table_insert (known, g_steal_pointer (&question), GUINT_TO_POINTER (number));
  }
  find->question = number - 1;
  return !fresh || pg_queue (find->step->pg, statement, values, error);
}

/* The ANSWERS (of PgRows) to the questions of those of ALL that ask. */
static gboolean
ask (Find *all, guint n, const gboolean *asks, GPtrArray *answers, GError **error)
{
  Pg *pg = all->step->pg;
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i++) {
    if (!asks[i])
      continue;
    g_autoptr (PgValues) values = values_of (&all[i]);
    PgRows *rows = n == 1 && all->standby
                       ? replica_page (all->step->replica, &all->run, values, all->limit)
                       : NULL;
    if (rows != NULL)
      g_ptr_array_add (answers, rows);
    else if (!queue (&all[i], values, known, error))
      return FALSE;
  }
  if (g_hash_table_size (known) == 0)
    return TRUE;
  if (!pg_flush (pg, error))
    return FALSE;
  while (answers->len < g_hash_table_size (known)) {
    PgRows *rows = pg_next (pg, error);
    if (rows == NULL)
      return FALSE;
    g_ptr_array_add (answers, rows);
  }
  return pg_finish (pg, error);
}

/* ROWS: NULL, it was not asked. */
static gboolean
take_answer (Find *find, const PgRows *rows, GError **error)
{
  return (rows == NULL || take_rows (find, rows, error))
         && (!find->cuts
             || portion_cut (find->step, find->way == FIND_PAGE ? rows : NULL, &find->page, error));
}

gboolean
find_pages (Find *all, guint n, GError **error)
{
  g_autofree gboolean *asks = g_new0 (gboolean, n);
  g_autoptr (GPtrArray) answers = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
  for (guint i = 0; i < n; i++)
    if (!all[i].out && !begin (&all[i], &asks[i], error))
      return FALSE;
  all->step->searching = n == 1 && all->way == FIND_PAGE;
  if (!ask (all, n, asks, answers, error))
    return FALSE;
  all->step->searching = FALSE;
  for (guint i = 0; i < n; i++)
    if (!all[i].out
        && !take_answer (&all[i], asks[i] ? answers->pdata[all[i].question] : NULL, error))
      return FALSE;
  return TRUE;
}

/* --- one --- */

gboolean
find_one (Find find, Page *page, GError **error)
{
  gboolean ok = find_pages (&find, 1, error);
  *page = find.page;
  return ok && (find.way != FIND_PAGE || guard_page (find.step, page, error));
}

/* What a step finds has failed with ERROR: perhaps in the search for its page. */
static void
explain_search (const Step *step, GError **error)
{
  const json_t *given = json_object_get (step->run->args, "cursor");
  const char *sqlstate = pg_sqlstate (step->pg);
  if (!step->searching || error == NULL || *error == NULL || !g_str_has_prefix (sqlstate, "22"))
    return;
  if (step->run->cursor == NULL && step->run->progress.looks == 0 && given != NULL) {
    /* The tick's own cursor is at fault, not a row; so its values may be told. */
    g_autofree char *cursor = json_text (given);
    g_prefix_error (error, "args.cursor: %s: ", cursor);
    (*error)->code = PRUNED_REJECT;
  } else if (!step->job->built_in && job_form_next (step->job) == NULL
             && !g_str_equal (sqlstate, NOT_A_TEXT)) {
    g_autofree char *words = g_strconcat ((*error)->message, REMEDY, NULL);
    g_free ((*error)->message);
    (*error)->message = g_steal_pointer (&words);
  }
}

gboolean
find_page (Step *step, Page *page, GError **error)
{
  const Find find = find_begin (step);
  if (find_one (find, page, error))
    return find.way != FIND_PAGE || !(step->finds & FINDS_AGAIN) || busy_sift (step, page, error);
  explain_search (step, error);
  return FALSE;
}

/* --- of a plan --- */

/* The step of FIND goes by rows, after a search that failed with CAUSE (owned) in a savepoint. */
static gboolean
go_by_rows (Find *find, GError *cause, GError **error)
{
  Step *step = find->step;
  page_clear (&find->page);
  if (cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  if (!pg_exec (step->pg, "ROLLBACK TO search", error)
      || !pg_exec_later (step->pg, "RELEASE search", error))
    return FALSE;
  step->run->progress.by_rows++;
  step_take_job (step, step->job);
  return TRUE;
}

gboolean
find_plan (Step *step, int limit, Page *page, GError **error)
{
  for (;;) {
    GError *cause = NULL;
    Find find = find_for (step);
    find.limit = limit;
    find.standby = find.cuts = FALSE;
    if (find.way != FIND_NAMED)
      find.way = FIND_PAGE;
    const gboolean may_fail = find.way == FIND_PAGE && job_form_next (step->job) != NULL;
    if (!may_fail)
      return find_one (find, page, error);
    if (!pg_exec_later (step->pg, "SAVEPOINT search", error))
      return FALSE;
    if (find_pages (&find, 1, &cause)) {
      *page = find.page;
      return pg_exec_later (step->pg, "RELEASE search", error) && guard_page (step, page, error);
    }
    if (!go_by_rows (&find, cause, error))
      return FALSE;
  }
}
