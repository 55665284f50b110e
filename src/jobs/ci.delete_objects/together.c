#include "jobs/ci.delete_objects/together.h"

#include "jobs/ci.delete_objects/parts.h"

/* One step alone decides what is left out. */
static gboolean
none_is_down (Step *step, const StoreList *list, GError **error)
{
  Passing passing;
  passing_look (&passing, list);
  gboolean any = passing.any;
  passing_clear (&passing);
  return !any || step_fail (step, error, PRUNED_BUSY, "a store is down");
}

/* The rows that each step takes of N. */
static void
divide (Step *const *steps, guint n, GPtrArray *answers, gpointer *leased)
{
  int rows = leased_count (answers), from = 0;
  for (guint i = 0; i < n; i++) {
    int own = (int)MIN (parts_lease_limit (steps[i]), rows - from);
    leased[i] = leased_new (answers, from, own);
    parts_begin (steps[i], leased[i]);
    from += own;
  }
}

static gboolean
lease (Step *const *steps, guint n, gpointer *leased, GError **error)
{
  Passing up = { 0 };
  gint64 rows = 0;
  for (guint i = 0; i < n; i++)
    rows += parts_lease_limit (steps[i]);
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, rows),
                  *kept = kept_before (steps, n);
  if (!none_is_down (steps[0], NULL, error) || !step_queue (steps[0], error, "until", NULL)
      || !step_queue (steps[0], error, "lease", "limit", limit, "reached",
                      parts_reached_before (steps[0], &up), "edge", NULL, "down", "{}", "kept",
                      kept, NULL))
    return FALSE;
  g_autoptr (GPtrArray) answers = step_send (steps[0], error);
  if (answers == NULL)
    return FALSE;
  if (leased_count (answers) < rows_count (answers->pdata[1])) /* one alone notes which */
    return step_fail (steps[0], error, PRUNED_BUSY, "a row was not leased");
  divide (steps, n, answers, leased);
  return TRUE;
}

static void
act (gpointer *leased, Errand *const *errands, guint n)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_sized_new (n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (lists, &((Leased *)leased[i])->list);
  errands_delete (errands, (StoreList *const *)lists->pdata, n);
}

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

/* The deletes of all, then what is asked once. */
static GPtrArray *
send (Step *const *steps, Leased *const *leased, guint n, GError **error)
{
  for (guint i = 0; i < n; i++) {
    g_autoptr (GArray) gone = leased_with (leased[i], STORE_DELETED, STORE_ABSENT);
    if (gone->len > 0 && !parts_queue_gone (steps[i], leased[i], gone, error))
      return NULL;
  }
  g_autofree char *kept = kept_before (steps, n);
  if (!parts_queue_cured (steps[0], leased, n, error)
      || !step_queue (steps[0], error, "more", "reached", leased[0]->reached, "kept", kept, NULL))
    return NULL;
  return step_send_all (steps, n, error);
}

static void
conclude (Step *step, const Leased *leased, gint64 removed, gboolean more)
{
  const Settled settled = { .removed = removed, .more = more };
  parts_report (step, leased, &settled);
  if (more)
    step_continue (step, kept_cursor (step, leased, leased->reached), 0);
}

static gboolean
settle (Step *const *steps, gpointer *data, guint n, GError **error)
{
  Leased *const *leased = (Leased *const *)data;
  for (guint i = 0; i < n; i++) {
    step_limit (steps[i], step_setting (steps[i], "batch"));
    if (!none_is_down (steps[i], &leased[i]->list, error))
      return FALSE;
  }
  g_autoptr (GPtrArray) answers = send (steps, leased, n, error);
  if (answers == NULL)
    return FALSE;
  const PgRows *last = answers->pdata[answers->len - 1];
  for (guint i = 0, answer = 0; i < n; i++) {
    const guint gone = leased[i]->list.n;
    gint64 removed = gone > 0 ? rows_int (answers->pdata[answer++], 0, "n") : 0;
    if (removed < gone)
      return step_fail (steps[i], error, PRUNED_BUSY, "a row stays whose object is gone");
    conclude (steps[i], leased[i], removed, rows_bool (last, 0, "more"));
  }
  return TRUE;
}

const JobErrands delete_objects_together = { lease, act, is_plain, settle };
