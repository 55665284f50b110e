/* Leases in one transaction, deletes with none open, settles in another. A row is deleted only when
 * the store has said that its object is gone, and only if the row still carries this lease. A row
 * whose lease has expired belongs to the step that leased it next.
 */
#include "jobs/jobs.h"
#include "jobs/ci.delete_objects/parts.h"
#include "jobs/ci.delete_objects/together.h"
#include "jobs/ci.delete_objects/refused.h"

#include <stdatomic.h>

/* The answers of until.sql and lease.sql. Objects of stores that are down are not leased. */
static GPtrArray *
lease_rows (Step *step, Passing *passing, GError **error)
{
  g_autofree char *limit
      = g_strdup_printf ("%" G_GINT64_FORMAT, passing->all ? 0 : parts_lease_limit (step));
  const char *reached = parts_reached_before (step, passing);
  g_autofree char *kept = kept_before (&step, 1);
  if (!passing_measure (step, passing, reached, error) || !step_queue (step, error, "until", NULL)
      || !step_queue (step, error, "lease", "limit", limit, "reached", reached, "edge",
                      passing->edge, "down", passing->stores, "kept", kept, NULL))
    return NULL;
  return step_send (step, error);
}

static gpointer
lease (Step *step, GError **error)
{
  Passing passing;
  passing_look (&passing, NULL);
  GPtrArray *answers = lease_rows (step, &passing, error);
  g_autofree char *beyond = g_steal_pointer (&passing.beyond);
  passing_clear (&passing);
  if (answers == NULL)
    return NULL;
  Leased *leased = leased_new (answers, 0, leased_count (answers));
  leased_take_kept (leased);
  g_ptr_array_unref (answers);
  leased->beyond = g_steal_pointer (&beyond);
  if (!kept_check (step, leased, error)) {
    leased_free (leased);
    return NULL;
  }
  parts_begin (step, leased);
  return leased;
}

static void
act (gpointer data, Errand *errand)
{
  errand_delete (errand, &((Leased *)data)->list);
}

static void
cancel (gpointer data)
{
  atomic_store (&((Leased *)data)->list.cancelled, TRUE);
}

/* --- settle ---------------------------------------------------------------------------------- */

/* LOOK: also asks, in the same round trip, whether more objects are ready. */
static gboolean
settle_gone (Step *step, Leased *leased, gboolean look, Settled *settled, GError **error)
{
  g_autoptr (GArray) gone = leased_with (leased, STORE_DELETED, STORE_ABSENT);
  gboolean refused = FALSE;
  g_autofree char *kept = kept_after (step, leased);
  if ((gone->len > 0
       && (!parts_queue_gone (step, leased, gone, error)
           || !parts_queue_cured (step, &leased, 1, error)))
      || (look
          && !step_queue (step, error, "more", "reached", leased->reached, "kept", kept, NULL)))
    return FALSE;
  g_autoptr (GPtrArray) answers = step_send (step, error);
  if (answers == NULL)
    return FALSE;
  settled->removed = gone->len > 0 ? rows_int (answers->pdata[0], 0, "n") : 0;
  settled->more = look && rows_bool (answers->pdata[answers->len - 1], 0, "more");
  if (settled->removed < gone->len && !refused_silently (step, leased, &refused, error))
    return FALSE;
  return !refused || step_again (step, error);
}

/* The paths of projects, in the order of `:id`. Fast by the unique key of routes. */
#define PATHS                                                                                      \
  "SELECT r.path AS project, pg_catalog.split_part(r.path, '/', 1) AS root_namespace "             \
  "FROM pg_catalog.unnest(:id::bigint[]) WITH ORDINALITY AS k (id, position) "                     \
  "LEFT JOIN routes r ON r.source_type::text = 'Project' AND r.source_id = k.id ORDER BY k.position"

/* Adds those of row I that are not NULL to LINE. */
static void
add_fields (json_t *line, const PgRows *rows, int i, const char *const *fields, guint n)
{
  for (guint j = 0; j < n; j++)
    if (rows_text (rows, i, fields[j]) != NULL)
      json_object_set_new (line, fields[j], json_string (rows_text (rows, i, fields[j])));
}

/* Row I of PROJECTS and of PATHS names the object's project. PATHS may be NULL. */
static void
log_failed (Step *step, const Leased *leased, int row, const PgRows *projects, const PgRows *paths,
            int i)
{
  static const char *const fields[] = { "id", "file_store", "store_dir", "file" };
  static const char *const id[] = { "project_id" }, *const path[] = { "project", "root_namespace" };
  json_t *line = json_object ();
  add_fields (line, leased->rows, leased->from + row, fields, G_N_ELEMENTS (fields));
  add_fields (line, projects, i, id, G_N_ELEMENTS (id));
  if (paths != NULL)
    add_fields (line, paths, i, path, G_N_ELEMENTS (path));
  json_object_set_new (line, "error", json_string (leased_error (leased, row)));
  step_log (step, LOG_ERROR, "Object cannot be deleted", line);
}

static gboolean
log_all_failed (Step *step, const Leased *leased, const GArray *which, GError **error)
{
  g_autofree char *id = parts_column (leased, "id", which);
  g_autoptr (PgRows) projects = step_query (step, error, "projects", "id", id, NULL);
  if (projects == NULL)
    return FALSE;
  g_autoptr (PgRows) paths = NULL;
  if (rows_bool (projects, 0, "has_routes")) {
    g_autofree char *project = rows_array (projects, "project_id");
    paths = step_query_text (step, error, PATHS, "id", project, NULL);
    if (paths == NULL)
      return FALSE;
  }
  for (guint i = 0; i < which->len; i++)
    log_failed (step, leased, g_array_index (which, int, i), projects, paths, (int)i);
  return TRUE;
}

static gboolean
settle_failed (Step *step, const Leased *leased, Settled *settled, GError **error)
{
  g_autoptr (GArray) which = leased_with (leased, STORE_FAILED, STORE_UNSAFE);
  for (guint i = 0; i < leased->unleased; i++) {
    const int row = (int)(leased->list.n + i);
    g_array_append_val (which, row);
  }
  settled->failed = which->len;
  if (which->len == 0)
    return TRUE;
  if (!log_all_failed (step, leased, which, error))
    return FALSE;
  GString *reasons = array_new (), *finals = array_new ();
  for (guint i = 0; i < which->len; i++) {
    int row = g_array_index (which, int, i);
    const gboolean unsafe
        = row < (int)leased->list.n && leased->list.objects[row].result == STORE_UNSAFE;
    array_add (reasons, leased_error (leased, row));
    array_add (finals, unsafe ? "t" : "f");
  }
  g_autofree char *id = parts_column (leased, "id", which);
  g_autofree char *reason = array_take (reasons), *final = array_take (finals);
  g_autoptr (PgRows) put = step_query (step, error, "fail", "id", id, "lease", leased->lease,
                                       "reason", reason, "final", final, NULL);
  return put != NULL;
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
  g_autofree char *kept = kept_after (step, leased);
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

static gboolean
settle_all (Step *step, Leased *leased, GError **error)
{
  const char *reached = leased->reached;
  Settled settled = { 0 };
  Passing passing;
  passing_look (&passing, &leased->list);
  gboolean ok = settle_failed (step, leased, &settled, error) && settle_open (step, leased, error)
                && settle_gone (step, leased, !passing.any, &settled, error);
  if (ok)
    parts_report (step, leased, &settled);
  if (ok && passing.any)
    ok = passing_continue (step, &passing, leased, leased->is_full ? reached : leased->beyond,
                           error);
  else if (ok && settled.more)
    ok = go_on (step, leased, error);
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

/* A row that PostgreSQL refuses to delete is found in a transaction of its own; the others are
 * deleted without it. */
static gboolean
settle (Step *step, gpointer data, GError **error)
{
  Leased *leased = data;
  GError *cause = NULL;
  step_passes_busy (step);
  if (leased->limit > 0)
    step_cut (step, leased->limit);
  step_limit (step, step_setting (step, "batch"));
  if (leased->refused) {
    leased->refused = FALSE;
    return refused_find (step, leased, error) && step_again (step, error);
  }
  if (settle_all (step, leased, &cause))
    return TRUE;
  if (step_is_too_slow (step, cause) && settle_fewer (leased)) {
    g_error_free (cause);
    return step_again (step, error);
  }
  if (cause->code != PRUNED_DATA || leased->asked) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  leased->refused = leased->asked = TRUE;
  return step_again (step, error);
}

const JobErrand delete_objects_errand
    = { lease, act, cancel, settle, leased_free, &delete_objects_together };
