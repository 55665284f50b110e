#include "jobs/groups.destroy/drain.h"

#include "jobs/shared/sweep.h"

gint64
drain_changed (const PgRows *answer)
{
  return rows_column (answer, "n") >= 0 ? rows_int (answer, 0, "n") : rows_count (answer);
}

void
drain_note_gone (Batch *batch, const GPtrArray *gone, guint n)
{
  for (guint i = 0; i < n; i++)
    batch->removed += drain_changed (gone->pdata[i]);
}

gboolean
drain_all_empty (const Batch *batch, const GPtrArray *gone, guint n)
{
  if (batch->cut)
    return batch->removed == 0;
  for (guint i = 0; i < n; i++)
    if (drain_changed (gone->pdata[i]) >= g_ascii_strtoll (batch->limit, NULL, 10))
      return FALSE;
  return TRUE;
}

/* --- what refers to the batch
 * ------------------------------------------------------------------------- */

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

/* Queues what holds the rows that go with the batch itself, where a key leads to them. */
static gboolean
queue_batch_holds (Step *step, const Batch *batch, const PgRows *references, GError **error)
{
  for (int i = 0; i < rows_count (references); i++)
    if (rows_text (references, i, "sql") == NULL && rows_text (references, i, "look") == NULL
        && !step_queue_text (step, error, rows_text (references, i, "hold"), BATCH (batch)))
      return FALSE;
  return TRUE;
}

/* Holds the batch, so that what is found is all there is. A project that is just gone is as one
 * that has moved. */
static gboolean
find_referring (Step *step, Batch *batch, Referring *found, GError **error)
{
  found->references
      = step_query_kept (step, batch->catalogue, error, "references", "kind", batch->kind, NULL);
  if (found->references == NULL)
    return FALSE;
  const char *probe = probe_of (found->references);
  gboolean queued = step_queue (step, error, "hold/10-namespaces", BATCH (batch))
                    && step_queue (step, error, "hold/20-projects", BATCH (batch))
                    && step_queue (step, error, "hold/30-strangers", BATCH (batch))
                    && (!batch_is_groups (batch)
                        || step_queue (step, error, "refresh/guests", "group", batch->groups, NULL))
                    && queue_batch_holds (step, batch, found->references, error)
                    && (probe == NULL || step_queue_text (step, error, probe, BATCH (batch)));
  found->answers = queued ? step_send (step, error) : NULL;
  if (found->answers == NULL)
    return FALSE;
  found->there = found->answers->pdata[found->answers->len - 1];
  found->n = probe != NULL ? rows_count (found->there) : 0;
  batch->moved = any_moved (found->answers->pdata[0]) || any_moved (found->answers->pdata[1])
                 || (guint)rows_count (found->answers->pdata[1]) < array_length (batch->projects);
  return batch->moved || batch_refuse_stranger (step, found->answers->pdata[2], error);
}

/* The reference that row I of `there` is about. */
static int
reference_row (const Referring *found, int i)
{
  return (int)rows_int (found->there, i, "number") - 1;
}

static gint64
level_at (const Referring *found, int i)
{
  return rows_int (found->references, reference_row (found, i), "level");
}

/* Where the level ends that begins at FROM; of a step that has been cut: where its first table
 * does. */
static int
level_end (const Batch *batch, const Referring *found, int from)
{
  int to = from;
  while (to < found->n && level_at (found, to) == level_at (found, from)
         && (!batch->cut || to == from))
    to++;
  return to;
}

/* Queues the deletes of one level. */
static gboolean
queue_level (Step *step, const Batch *batch, const Referring *found, int from, int to,
             GError **error)
{
  const PgRows *references = found->references;
  for (int i = from; i < to; i++) {
    int row = reference_row (found, i);
    if (!step_queue_apply_text (step, error, rows_text (references, row, "table"),
                                rows_text (references, row, "action"),
                                rows_text (references, row, "sql"), BATCH (batch)))
      return FALSE;
  }
  return TRUE;
}

/* Queues COLUMN, a query, of one level as far as there is one; *N grows by how many. */
static gboolean
queue_column (Step *step, const Batch *batch, const Referring *found, int from, int to,
              const char *column, guint *n, GError **error)
{
  for (int i = from; i < to; i++) {
    const char *sql = rows_text (found->references, reference_row (found, i), column);
    if (sql != NULL && !step_queue_text (step, error, sql, BATCH (batch)))
      return FALSE;
    *n += sql != NULL;
  }
  return TRUE;
}

gboolean
drain_queue_holds (Step *step, const Batch *batch, const Referring *found, int from, int to,
                   guint *n, GError **error)
{
  *n = 0;
  return queue_column (step, batch, found, from, to, "hold", n, error)
         && queue_column (step, batch, found, from, to, "look", n, error);
}

gboolean
drain_sweep_others (Step *step, Batch *batch, const PgRows *others, GError **error)
{
  /* They want more than a record: outcomes, files, authorizations. */
  static const char *const refused[]
      = { "projects", "namespaces", "users", "members", "ci_job_artifacts", NULL };
  gint64 limit = g_ascii_strtoll (batch->limit, NULL, 10);
  Sweep sweep = { .step = step,
                  .projects = batch->projects,
                  .namespaces = batch->namespaces,
                  .groups = batch->groups,
                  .refused = refused,
                  .left = limit };
  for (int i = 0, n; i < rows_count (others) && sweep.left > 0; i++)
    if (!sweep_rows (&sweep, rows_text (others, i, "relation"), rows_text (others, i, "condition"),
                     1, &n, error))
      return FALSE;
  batch->removed += limit - sweep.left;
  return sweep.left < limit
         || step_fail (
             step, error, PRUNED_DATA,
             "rows of %s stay: a trigger or a rule keeps them, or rows refer to each other too deep or in a circle",
             rows_text (others, 0, "relation"));
}

const PgRows *
drain_first_found (const GPtrArray *answers, guint first)
{
  for (guint i = first; i < answers->len; i++)
    if (rows_count (answers->pdata[i]) > 0)
      return answers->pdata[i];
  return NULL;
}

/* *CLEAR: nothing but the rows of this level goes with them. Else that goes first, and then this
 * step has done its share. */
static gboolean
hold_level (Step *step, Batch *batch, const Referring *found, int from, int to, gboolean *clear,
            GError **error)
{
  guint n;
  if (!drain_queue_holds (step, batch, found, from, to, &n, error))
    return FALSE;
  *clear = n == 0;
  if (*clear)
    return TRUE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL)
    return FALSE;
  const PgRows *others = drain_first_found (answers, n / 2);
  *clear = others == NULL;
  return *clear || drain_sweep_others (step, batch, others, error);
}

/* The levels that lie further away, each when the one beyond it is empty: else a foreign key would
 * take along what nobody has seen. *NEXT: where the level begins that is next to the batch. */
static gboolean
drain_beyond (Step *step, Batch *batch, const Referring *found, int *next, gboolean *empty,
              GError **error)
{
  *empty = TRUE;
  for (*next = 0; *empty && *next < found->n && level_at (found, *next) > 1;) {
    int from = *next;
    *next = level_end (batch, found, from);
    if (!hold_level (step, batch, found, from, *next, empty, error))
      return FALSE;
    if (!*empty)
      return TRUE;
    g_autoptr (GPtrArray) gone
        = queue_level (step, batch, found, from, *next, error) ? step_send (step, error) : NULL;
    if (gone == NULL)
      return FALSE;
    drain_note_gone (batch, gone, gone->len);
    *empty = drain_all_empty (batch, gone, gone->len);
  }
  return TRUE;
}

/* --- what is next to the batch
 * ------------------------------------------------------------------------- */

static gboolean
drain_next (Step *step, Batch *batch, const Referring *found, int next, GError **error)
{
  while (next < found->n && !(batch->cut && batch->removed > 0)) {
    int to = level_end (batch, found, next);
    g_autoptr (GPtrArray) gone
        = queue_level (step, batch, found, next, to, error) ? step_send (step, error) : NULL;
    if (gone == NULL)
      return FALSE;
    drain_note_gone (batch, gone, gone->len);
    next = to;
  }
  return TRUE;
}

/* Were these all? Rows that stay although a second step has nothing else to do are not waited for.
 */
static gboolean
look_again (Step *step, const Batch *batch, const Referring *found, gboolean *empty, GError **error)
{
  g_autofree char *file = g_strdup_printf ("drain/%s/left", batch->kind);
  const char *probe = probe_of (found->references);
  if (!step_queue (step, error, file, BATCH (batch))
      || (batch->own_gone && !step_queue (step, error, "drain/strangers", BATCH (batch)))
      || (probe != NULL && !step_queue_text (step, error, probe, BATCH (batch))))
    return FALSE;
  g_autoptr (GPtrArray) left = step_send (step, error);
  if (left == NULL || (batch->own_gone && !batch_refuse_stranger (step, left->pdata[1], error)))
    return FALSE;
  const PgRows *there = probe != NULL ? left->pdata[left->len - 1] : NULL;
  gboolean refers = there != NULL && rows_count (there) > 0;
  *empty = !refers && rows_count (left->pdata[0]) == 0;
  if (*empty || batch->removed > 0 || !batch->again)
    return TRUE;
  return step_fail (
      step, error, PRUNED_DATA, "a trigger or a rule keeps rows of %s",
      refers ? rows_text (found->references, (int)rows_int (there, 0, "number") - 1, "table")
             : "members, notification_settings, redirect_routes or ci_job_artifacts");
}

gboolean
batch_drain (Step *step, Batch *batch, gboolean *empty, GError **error)
{
  Referring found = { 0 };
  int next = 0;
  gboolean ok = find_referring (step, batch, &found, error);
  *empty = FALSE;
  if (ok && !batch->moved)
    ok = drain_beyond (step, batch, &found, &next, empty, error);
  if (ok && *empty) /* else there are more of them: what they point at stays for now */
    ok = drain_hold_own (step, batch, &found, empty, error);
  if (ok && *empty)
    ok = drain_own (step, batch, &found, next, empty, error);
  if (ok && *empty)
    ok = drain_next (step, batch, &found, next, error)
         && look_again (step, batch, &found, empty, error);
  g_clear_pointer (&found.answers, g_ptr_array_unref);
  return ok;
}
