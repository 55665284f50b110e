#include "jobs/groups.destroy/drain.h"

/* --- what refers to the portion --- */

static const char *
probe_of (const PgRows *references)
{
  return rows_count (references) > 0 ? rows_text (references, 0, "probe") : NULL;
}

static gboolean
any_moved (const PgRows *held)
{
  for (int i = 0; i < rows_count (held); i++)
    if (rows_bool (held, i, "moved"))
      return TRUE;
  return FALSE;
}

/* Queues the locks of rows that are removed with the portion itself, where a key leads to them. */
static gboolean
queue_portion_holds (Step *step, const Portion *portion, const PgRows *references, GError **error)
{
  for (int i = 0; i < rows_count (references); i++)
    if (rows_text (references, i, "sql") == NULL && rows_text (references, i, "look") == NULL
        && !step_queue_text (step, error, rows_text (references, i, "hold"), PORTION (portion)))
      return FALSE;
  return TRUE;
}

/* Locks the portion, so that what is found is complete, and what gives the right to delete it; then
 * asks whether the deletion is still wanted: the locks may have been waited for. A project that is
 * gone counts as moved, and so do groups below which something was inserted before they were
 * locked.
 */
static gboolean
find_referring (Step *step, Portion *portion, Referring *found, GError **error)
{
  found->references = step_query_kept (step, portion->catalogue, error, "references", "kind",
                                       portion->kind, NULL);
  if (found->references == NULL)
    return FALSE;
  const char *probe = probe_of (found->references);
  gboolean queued
      = step_queue (step, error, "hold/10-namespaces", PORTION (portion))
        && step_queue (step, error, "hold/20-projects", PORTION (portion))
        && step_queue (step, error, "hold/22-users", "top", portion->top, NULL)
        && step_queue (step, error, "hold/24-members", "top", portion->top, NULL)
        && step_queue (step, error, "hold/26-group_group_links", "top", portion->top, NULL)
        && step_queue (step, error, "hold/30-strangers", PORTION (portion))
        && (!portion_is_groups (portion)
            || (step_queue (step, error, "hold/40-children", PORTION (portion))
                && step_queue (step, error, "refresh/guests", "group", portion->groups, NULL)))
        && queue_portion_holds (step, portion, found->references, error)
        && step_queue (step, error, "still", "group", portion->top, "spent", portion->spent, NULL)
        && (probe == NULL || step_queue_text (step, error, probe, PORTION (portion)));
  found->answers = queued ? step_send (step, error) : NULL;
  if (found->answers == NULL)
    return FALSE;
  found->there = found->answers->pdata[found->answers->len - 1];
  found->updated = g_new0 (gboolean, (gsize)rows_count (found->references) + 1);
  found->n = probe != NULL ? rows_count (found->there) : 0;
  const guint still = found->answers->len - (probe != NULL ? 2 : 1);
  portion->unwanted = rows_count (found->answers->pdata[still]) == 0;
  portion->moved
      = portion->unwanted || any_moved (found->answers->pdata[0])
        || any_moved (found->answers->pdata[1])
        || (guint)rows_count (found->answers->pdata[1]) < portion_count_ids (portion->projects)
        || (portion_is_groups (portion) && rows_count (found->answers->pdata[6]) > 0);
  return portion->moved || portion_refuse_stranger (step, found->answers->pdata[5], error);
}

static gint64
level_at (const Referring *found, int i)
{
  return rows_int (found->references, drain_reference_row (found, i), "level");
}

/* The end of the level that begins at FROM; in a step that was cut, the end of its first table. */
static int
level_end (const Portion *portion, const Referring *found, int from)
{
  int to = from;
  while (to < found->n && level_at (found, to) == level_at (found, from)
         && (!portion->cut || to == from))
    to++;
  return to;
}

/* Queues the deletes of one level. */
static gboolean
queue_level (Step *step, const Portion *portion, const Referring *found, int from, int to,
             GError **error)
{
  const PgRows *references = found->references;
  for (int i = from; i < to; i++) {
    int row = drain_reference_row (found, i);
    if (!step_queue_apply_text (step, error, rows_text (references, row, "table"),
                                rows_text (references, row, "action"),
                                rows_text (references, row, "sql"), PORTION (portion)))
      return FALSE;
  }
  return TRUE;
}

/* Locks a level. *CLEAR: only the rows of this level would go. Otherwise the others are removed
 * first, and this step ends. */
static gboolean
hold_level (Step *step, Portion *portion, const Referring *found, int from, int to, gboolean *clear,
            GError **error)
{
  guint n;
  if (!drain_queue_holds (step, portion, found, from, to, &n, error))
    return FALSE;
  *clear = n == 0;
  if (*clear)
    return TRUE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL)
    return FALSE;
  const PgRows *others = drain_first_found (answers, n / 2);
  *clear = others == NULL;
  return *clear || drain_sweep_others (step, portion, others, error);
}

/* GONE: what the statements of a level have changed. */
static void
note_level (Step *step, Portion *portion, Referring *found, int from, const GPtrArray *gone)
{
  drain_note_gone (portion, gone, gone->len);
  for (guint i = 0; i < gone->len; i++) {
    const int row = drain_reference_row (found, from + (int)i);
    const gint64 n = drain_changed (gone->pdata[i]);
    const gboolean updates = g_str_equal (rows_text (found->references, row, "action"), "updated");
    found->updated[row] = updates && n < g_ascii_strtoll (portion->limit, NULL, 10);
    if (rows_bool (found->references, row, "beside"))
      step_count_beside (step, rows_text (found->references, row, "table"), !updates, n);
  }
}

/* Empties the levels that lie further away, each when the one beyond it is empty: otherwise a
 * foreign key would remove rows unseen. *NEXT: the begin of the level next to the portion. */
static gboolean
drain_beyond (Step *step, Portion *portion, Referring *found, int *next, gboolean *empty,
              GError **error)
{
  *empty = TRUE;
  for (*next = 0; *empty && *next < found->n && level_at (found, *next) > 1;) {
    int from = *next;
    *next = level_end (portion, found, from);
    if (!hold_level (step, portion, found, from, *next, empty, error))
      return FALSE;
    if (!*empty)
      return TRUE;
    g_autoptr (GPtrArray) gone
        = queue_level (step, portion, found, from, *next, error) ? step_send (step, error) : NULL;
    if (gone == NULL)
      return FALSE;
    note_level (step, portion, found, from, gone);
    *empty = drain_all_empty (portion, gone, gone->len);
  }
  return TRUE;
}

/* --- what is next to the portion --- */

static gboolean
drain_next (Step *step, Portion *portion, Referring *found, int next, GError **error)
{
  while (next < found->n && !(portion->cut && portion->removed > 0)) {
    int to = level_end (portion, found, next);
    g_autoptr (GPtrArray) gone
        = queue_level (step, portion, found, next, to, error) ? step_send (step, error) : NULL;
    if (gone == NULL)
      return FALSE;
    note_level (step, portion, found, next, gone);
    next = to;
  }
  return TRUE;
}

/* Which of the references in THERE, rows of the probe, has rows that are still as before although
 * they were updated; -1: none. */
static int
find_kept (const Referring *found, const PgRows *there)
{
  for (int i = 0; there != NULL && i < rows_count (there); i++) {
    const int row = (int)rows_int (there, i, "number") - 1;
    if (found->updated[row])
      return row;
  }
  return -1;
}

/* Checks whether anything is left. Rows that something keeps are an error, and so are updated rows
 * that still refer to the portion. */
static gboolean
look_again (Step *step, const Portion *portion, const Referring *found, gboolean *empty,
            GError **error)
{
  g_autofree char *file = g_strdup_printf ("drain/%s/left", portion->kind);
  const char *probe = probe_of (found->references);
  if (!step_queue (step, error, file, PORTION (portion))
      || (portion->own_gone && !step_queue (step, error, "drain/strangers", PORTION (portion)))
      || (probe != NULL && !step_queue_text (step, error, probe, PORTION (portion))))
    return FALSE;
  g_autoptr (GPtrArray) left = step_send (step, error);
  if (left == NULL || (portion->own_gone && !portion_refuse_stranger (step, left->pdata[1], error)))
    return FALSE;
  const PgRows *there = probe != NULL ? left->pdata[left->len - 1] : NULL;
  gboolean refers = there != NULL && rows_count (there) > 0;
  int kept = find_kept (found, there);
  *empty = !refers && rows_count (left->pdata[0]) == 0;
  if (kept < 0 && (*empty || !portion_is_kept (portion)))
    return TRUE;
  if (kept < 0 && refers)
    kept = (int)rows_int (there, 0, "number") - 1;
  return step_fail (step, error, PRUNED_DATA, "a trigger or a rule keeps rows of %s",
                    kept >= 0
                        ? rows_text (found->references, kept, "table")
                        : "members, notification_settings, redirect_routes or ci_job_artifacts");
}

gboolean
drain_portion (Step *step, Portion *portion, gboolean *empty, GError **error)
{
  Referring found = { 0 };
  int next = 0;
  gboolean ok = find_referring (step, portion, &found, error);
  *empty = FALSE;
  if (ok && !portion->moved)
    ok = drain_beyond (step, portion, &found, &next, empty, error);
  if (ok && *empty) /* else there are more rows: what they refer to stays for now */
    ok = drain_hold_own (step, portion, &found, empty, error);
  if (ok && *empty)
    ok = drain_own (step, portion, &found, next, empty, error);
  if (ok && *empty)
    ok = drain_next (step, portion, &found, next, error)
         && look_again (step, portion, &found, empty, error);
  g_clear_pointer (&found.answers, g_ptr_array_unref);
  g_free (found.updated);
  return ok;
}
