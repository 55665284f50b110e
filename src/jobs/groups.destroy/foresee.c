#include "jobs/groups.destroy/foresee.h"

#include "jobs/groups.destroy/portion.h"
#include "jobs/jobs.h"
#include "jobs/shared/hidden.h"

#define OF(file) "../groups.destroy/" file
#define MOST "1200000" /* of a table: more than any limit */

static gboolean
count_kind (Step *step, const char *kind, const char *counts, const PgRows *all, ForeseeVisit visit,
            gpointer data, GError **error)
{
  const gboolean groups = g_str_equal (kind, "groups");
  g_autoptr (PgRows) rows = step_query_text (
      step, error, counts, "project", groups ? "{}" : rows_text (all, 0, "projects"), "namespace",
      groups ? "{}" : rows_text (all, 0, "namespaces"), "group",
      groups ? rows_text (all, 0, "groups") : "{}", "limit", MOST, NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (rows_int (rows, i, "n") > 0)
      visit (rows_text (rows, i, "table_name"), rows_bool (rows, i, "takes"),
             rows_int (rows, i, "n"), data);
  return rows != NULL;
}

/* *COUNTS: the query; NULL: only the job's own lists have rows of this KIND. */
static gboolean
read_counts (Step *step, const char *stamp, const char *kind, const char **counts, GError **error)
{
  const PgRows *made = step_query_kept (step, stamp, error, OF ("references"), "kind", kind, NULL);
  *counts = made != NULL && rows_count (made) > 0 ? rows_text (made, 0, "counts") : NULL;
  return made != NULL;
}

static PgRows *
read_catalogue (Step *step, GError **error)
{
  return step_query (step, error, "../shared/catalogue", "tables", NULL, "columns", NULL, NULL);
}

gboolean
foresee_doomed (Step *step, const char *group, ForeseeVisit visit, gpointer data, GError **error)
{
  static const char *const kinds[] = { "projects", "groups" };
  g_autoptr (PgRows) catalogue = read_catalogue (step, error), all = NULL;
  for (guint i = 0; catalogue != NULL && i < G_N_ELEMENTS (kinds); i++) {
    const char *counts;
    if (!read_counts (step, rows_text (catalogue, 0, "stamp"), kinds[i], &counts, error))
      return FALSE;
    if (counts != NULL && all == NULL
        && (all = step_query (step, error, OF ("everything"), "group", group, NULL)) == NULL)
      return FALSE;
    if (counts != NULL && !count_kind (step, kinds[i], counts, all, visit, data, error))
      return FALSE;
  }
  return catalogue != NULL;
}

static void
count_visited (const char *table, gboolean deleted, gint64 n, gpointer step)
{
  step_count_beside (step, table, deleted, n);
}

gboolean
destroy_group_foresee (Step *step, GError **error)
{
  const char *group = step_arg (step, "group_id");
  g_autoptr (PgRows) catalogue = group != NULL ? read_catalogue (step, error) : NULL;
  if (group == NULL)
    return TRUE; /* the step says so */
  return catalogue != NULL
         && hidden_refuse (step, rows_text (catalogue, 0, "stamp"), PORTION_TABLES, "{users}",
                           error)
         && foresee_doomed (step, group, count_visited, step, error);
}
