/* What must not be removed with the group, or forbids to remove it. */
#include "jobs/groups.destroy/portion.h"

gboolean
portion_refuse_foreign (Step *step, const char *id, GError **error)
{
  return step_fail (
      step, error, PRUNED_DATA,
      "namespaces %s lies below the group, but is neither one of its groups nor the namespace of a project of one, and so forbids "
      "the deletion: move or delete it first, then `pruned retry`",
      id);
}

gboolean
portion_refuse_stranger (Step *step, const PgRows *rows, GError **error)
{
  if (rows_count (rows) == 0)
    return TRUE;
  if (g_str_equal (rows_text (rows, 0, "tab"), "namespaces"))
    return portion_refuse_foreign (step, rows_text (rows, 0, "id"), error);
  return step_fail (
      step, error, PRUNED_DATA,
      "%s %s belongs elsewhere, but names a namespace that is to be deleted, by a foreign key with ON DELETE CASCADE: correct it "
      "first, then `pruned retry`",
      rows_text (rows, 0, "tab"), rows_text (rows, 0, "id"));
}

gboolean
portion_refuse_held (Step *step, const char *group, GError **error)
{
  g_autoptr (PgRows) held = step_query (step, error, "held", "group", group, NULL);
  if (held == NULL || rows_count (held) == 0)
    return held != NULL;
  return step_keep (step, error, rows_text (held, 0, "kind"), rows_text (held, 0, "item"),
                    "the group");
}

gboolean
portion_refuse_group (Step *step, const char *group, const char *catalogue, GError **error)
{
  const PgRows *forbids = step_query_kept (step, catalogue, error, "forbids", NULL);
  if (forbids == NULL)
    return FALSE;
  const char *sql = rows_text (forbids, 0, "sql");
  g_autoptr (PgRows) found
      = sql != NULL ? step_query_text (step, error, sql, "group", group, NULL) : NULL;
  if (sql == NULL || found == NULL)
    return sql == NULL;
  if (rows_count (found) == 0 || rows_text (found, 0, "kind") == NULL)
    return portion_refuse_stranger (step, found, error);
  return step_fail (
      step, error, PRUNED_DATA,
      "a row of %s refers to %s %s, by a foreign key that forbids its deletion, or would take the row along: move or delete it first, then `pruned retry`",
      rows_text (found, 0, "tab"), rows_text (found, 0, "kind"), rows_text (found, 0, "id"));
}
