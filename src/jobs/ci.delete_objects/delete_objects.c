/* Leases in one transaction, deletes with none open, settles in another. A row is deleted only when
 * the store has said that its object is gone, and only if the row still carries this lease. A row
 * whose lease has expired belongs to the step that leased it next.
 *
 * Steps of several slots share both transactions: one statement leases the rows of all, and the
 * rows go in one round trip. What is not plain (a store is down, a row stays) is done by one step
 * alone.
 */
#include "jobs/jobs.h"
#include "jobs/ci.delete_objects/failed.h"
#include "jobs/ci.delete_objects/parts.h"
#include "jobs/ci.delete_objects/refused.h"

#include <stdatomic.h>

static gboolean
alone (Step *step, guint n, const char *why, GError **error)
{
  return n == 1 || step_fail (step, error, PRUNED_BUSY, "%s", why);
}

/* --- lease ----------------------------------------------------------------------------------- */

/* The answers of until.sql and lease.sql. Objects of stores that are down are not leased. */
static GPtrArray *
lease_rows (Step *const *steps, guint n, Passing *passing, GError **error)
{
  gint64 rows = 0;
  for (guint i = 0; i < n; i++)
    rows += parts_lease_limit (steps[i]);
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, passing->all ? 0 : rows),
                  *kept = kept_before (steps, n);
  const char *reached = parts_reached_before (steps[0], passing);
  if ((passing->any && !alone (steps[0], n, "a store is down", error))
      || !passing_measure (steps[0], passing, reached, error)
      || !step_queue (steps[0], error, "until", NULL)
      || !step_queue (steps[0], error, "lease", "limit", limit, "reached", reached, "edge",
                      passing->edge, "down", passing->stores, "kept", kept, NULL))
    return NULL;
  return step_send (steps[0], error);
}

/* The rows that each step takes of N. Those that were not leased stand behind them. */
static gboolean
divide (Step *const *steps, guint n, GPtrArray *answers, gpointer *leased, GError **error)
{
  int rows = leased_count (answers), from = 0;
  for (guint i = 0; i < n; i++) {
    int own = (int)MIN (parts_lease_limit (steps[i]), rows - from);
    leased[i] = leased_new (answers, from, own);
    from += own;
    if (i == n - 1)
      leased_take_kept (leased[i]);
    if (!kept_check (steps[i], leased[i], error))
      return FALSE;
    parts_begin (steps[i], leased[i]);
  }
  return rows_count (answers->pdata[1]) == rows
         || alone (steps[0], n, "a row was not leased", error);
}

static gboolean
lease (Step *const *steps, guint n, gpointer *leased, GError **error)
{
  Passing passing;
  passing_look (&passing, NULL);
  g_autoptr (GPtrArray) answers = lease_rows (steps, n, &passing, error);
  gboolean ok = answers != NULL && divide (steps, n, answers, leased, error);
  if (ok)
    ((Leased *)leased[0])->beyond = g_steal_pointer (&passing.beyond);
  passing_clear (&passing);
  return ok;
}

/* A row that PostgreSQL refuses, or that another session holds, is found when it is settled. */
static gboolean
attempt (Step *step, gpointer data, GError **error)
{
  const Leased *leased = data;
  g_autoptr (GArray) all = leased_with (leased, STORE_OPEN, STORE_OPEN);
  g_autofree char *id = parts_column (leased, "id", all), *was = parts_column (leased, "was", all),
                  *reason = NULL;
  step_passes_busy (step);
  g_autoptr (PgRows) rows = step_try (step, &reason, error, "10-ci_deleted_objects", "id", id,
                                      "was", was, "lease", leased->lease, NULL);
  if (rows != NULL)
    step_count (step, "updated_rows", rows_count (rows));
  return rows != NULL || reason != NULL;
}

/* --- act ------------------------------------------------------------------------------------- */

static void
act (gpointer *leased, Errand *const *errands, guint n)
{
  g_autofree StoreList **lists = g_new (StoreList *, n);
  for (guint i = 0; i < n; i++)
    lists[i] = &((Leased *)leased[i])->list;
  errands_delete (errands, lists, n);
}

static void
cancel (gpointer data)
{
  atomic_store (&((Leased *)data)->list.cancelled, TRUE);
}

/* --- settle ---------------------------------------------------------------------------------- */

static gboolean
is_plain (gpointer data)
{
  const Leased *leased = data;
  for (guint i = 0; i < leased->list.n; i++) {
    const StoreResult result = leased->list.objects[i].result;
    if (result != STORE_DELETED && result != STORE_ABSENT)
      return FALSE;
  }
  return leased->limit == 0 && !leased->refused && !leased->asked && !leased->none;
}

/* Queues the deletes of all, and what is asked once. LOOK: also whether more objects are ready. */
static gboolean
queue_gone (Step *const *steps, Leased *const *leased, guint n, gboolean look, Settled *settled,
            GError **error)
{
  gboolean any = FALSE;
  for (guint i = 0; i < n; i++) {
    g_autoptr (GArray) gone = leased_with (leased[i], STORE_DELETED, STORE_ABSENT);
    settled[i].gone = gone->len;
    any |= gone->len > 0;
    if (gone->len > 0 && !parts_queue_gone (steps[i], leased[i], gone, error))
      return FALSE;
  }
  g_autofree char *kept = kept_after (steps, (const Leased *const *)leased, n);
  return (!any || parts_queue_cured (steps[0], leased, n, error))
         && (!look
             || step_queue (steps[0], error, "more", "reached", leased[0]->reached, "kept", kept,
                            NULL));
}

static gboolean
settle_gone (Step *const *steps, Leased *const *leased, guint n, gboolean look, Settled *settled,
             GError **error)
{
  gboolean queued = queue_gone (steps, leased, n, look, settled, error), refused = FALSE;
  g_autoptr (GPtrArray) answers = queued ? step_send (steps[0], error) : NULL;
  if (answers == NULL)
    return FALSE;
  for (guint i = 0, answer = 0; i < n; i++) {
    settled[i].removed = settled[i].gone > 0 ? rows_int (answers->pdata[answer++], 0, "n") : 0;
    settled[i].more = look && rows_bool (answers->pdata[answers->len - 1], 0, "more");
    if (settled[i].removed < settled[i].gone
        && (!alone (steps[i], n, "a row stays whose object is gone", error)
            || !refused_silently (steps[i], leased[i], &refused, error)))
      return FALSE;
  }
  return !refused || step_again (steps[0], error);
}

static gboolean
settle_open (Step *step, const Leased *leased, GError **error)
{
  g_autoptr (GArray) which = leased_with (leased, STORE_OPEN, STORE_OPEN);
  if (which->len == 0)
    return TRUE;
  g_autofree char *id = parts_column (leased, "id", which),
                  *was = parts_column (leased, "was", which);
  g_autoptr (PgRows) back
      = step_query (step, error, "give_back", "id", id, "lease", leased->lease, "was", was, NULL);
  return back != NULL;
}

/* More objects are ready. If the step has leased nothing, others hold them: the run looks again,
 * and does not turn round until they are free. */
static gboolean
go_on (Step *step, const Leased *leased, GError **error)
{
  g_autofree char *kept = kept_after (&step, &leased, 1);
  g_autoptr (PgRows) held
      = leased->none ? step_query (step, error, "held", "kept", kept, NULL) : NULL;
  if (leased->none && held == NULL)
    return FALSE;
  for (int i = 0; held != NULL && i < rows_count (held); i++) {
    g_autofree char *item = g_strconcat ("ci_deleted_objects:", rows_text (held, i, "id"), NULL);
    step_pass_over (step, item, "they cannot be leased");
  }
  json_t *cursor = kept_cursor (step, leased, leased->reached);
  if (held != NULL && rows_count (held) > 0)
    step_look_again (step, cursor);
  else
    step_continue (step, cursor, 0);
  return TRUE;
}

/* Their objects are gone, so the next step that leases these rows finds them absent. */
static void
quarantine_held (Step *step, const Leased *leased)
{
  for (guint i = 0; i < leased->list.n; i++)
    if (leased->held[i] != NULL) {
      g_autofree char *item
          = g_strconcat ("ci_deleted_objects:", leased_text (leased, (int)i, "id"), NULL);
      step_pass_over (step, item, leased->held[i]);
    }
}

/* What follows the step. */
static gboolean
conclude (Step *step, const Passing *passing, Leased *leased, const Settled *settled,
          GError **error)
{
  quarantine_held (step, leased);
  parts_report (step, leased, settled);
  if (passing->any)
    return passing_continue (step, passing, leased,
                             leased->is_full ? leased->reached : leased->beyond, error);
  return !settled->more || go_on (step, leased, error);
}

/* Which stores are down now, or were for one of the lists. */
static void
look_at_stores (Leased *const *leased, guint n, Passing *passing)
{
  passing_look (passing, &leased[0]->list);
  for (guint i = 1; i < n && !passing->any; i++) {
    passing_clear (passing);
    passing_look (passing, &leased[i]->list);
  }
}

static gboolean
settle_all (Step *const *steps, Leased *const *leased, guint n, GError **error)
{
  g_autofree Settled *settled = g_new0 (Settled, n);
  Passing passing;
  look_at_stores (leased, n, &passing);
  gboolean ok = !passing.any || alone (steps[0], n, "a store is down", error);
  for (guint i = 0; ok && i < n; i++)
    ok = failed_note (steps[i], leased[i], &settled[i].failed, error)
         && settle_open (steps[i], leased[i], error);
  ok = ok && settle_gone (steps, leased, n, !passing.any, settled, error);
  for (guint i = 0; ok && i < n; i++)
    ok = conclude (steps[i], &passing, leased[i], &settled[i], error);
  passing_clear (&passing);
  return ok;
}

/* Keeps half of the deleted objects for settling; the others are given back and leased again.
 * FALSE: there is only one. */
static gboolean
settle_fewer (Leased *leased)
{
  g_autoptr (GArray) gone = leased_with (leased, STORE_DELETED, STORE_ABSENT);
  if (gone->len < 2)
    return FALSE;
  leased->limit = gone->len / 2;
  for (guint i = (guint)leased->limit; i < gone->len; i++)
    leased->list.objects[g_array_index (gone, int, i)].result = STORE_OPEN;
  return TRUE;
}

/* A row that PostgreSQL refuses to delete, or that another session holds, is found in a transaction
 * of its own; the others are deleted without it. */
static gboolean
settle_one (Step *step, Leased *leased, GError **error)
{
  GError *cause = NULL;
  if (leased->refused) {
    leased->refused = FALSE;
    return refused_find (step, leased, error) && step_again (step, error);
  }
  if (settle_all (&step, &leased, 1, &cause))
    return TRUE;
  if (step_is_too_slow (step, cause) && settle_fewer (leased)) {
    g_error_free (cause);
    return step_again (step, error);
  }
  if ((cause->code != PRUNED_DATA && !step_is_lock (step, cause)) || leased->asked) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  leased->refused = leased->asked = TRUE;
  return step_again (step, error);
}

static gboolean
settle (Step *const *steps, gpointer *data, guint n, GError **error)
{
  Leased *const *leased = (Leased *const *)data;
  for (guint i = 0; i < n; i++) {
    step_passes_busy (steps[i]);
    if (leased[i]->limit > 0)
      step_cut (steps[i], leased[i]->limit);
    step_limit (steps[i], step_setting (steps[i], "batch"));
  }
  return n == 1 ? settle_one (steps[0], leased[0], error) : settle_all (steps, leased, n, error);
}

const JobErrand delete_objects_errand
    = { lease, attempt, act, cancel, is_plain, settle, leased_free };
