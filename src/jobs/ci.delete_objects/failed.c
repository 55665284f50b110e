#include "jobs/ci.delete_objects/failed.h"

#include "jobs/ci.delete_objects/parts.h"

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

gboolean
failed_note (Step *step, const Leased *leased, guint *failed, GError **error)
{
  g_autoptr (GArray) which = leased_with (leased, STORE_FAILED, STORE_UNSAFE);
  for (guint i = 0; i < leased->unleased; i++) {
    const int row = (int)(leased->list.n + i);
    g_array_append_val (which, row);
  }
  *failed = which->len;
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
