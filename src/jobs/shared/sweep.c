#include "jobs/shared/sweep.h"

#define DEPTH                                                                                      \
  12 /* keys below keys; what lies deeper, or in a circle, stays, and so does what it refers to */

#define NAMED(sweep)                                                                               \
  "user_id", (sweep)->user_id, "project", (sweep)->projects, "namespace", (sweep)->namespaces,     \
      "group", (sweep)->groups

/* Rows of these tables (one a line) may have gone by their key. */
static void
warn_unseen (const Sweep *sweep, const char *tables)
{
  g_auto (GStrv) names = g_strsplit (tables, "\n", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    json_t *fields = json_pack ("{s:s}", "table", names[i]);
    if (sweep->user_id != NULL)
      json_object_set_new (fields, "user_id",
                           json_integer (g_ascii_strtoll (sweep->user_id, NULL, 10)));
    step_log (sweep->step, LOG_WARNING,
              "Rows of this table are not deleted by us: grant SELECT, UPDATE and DELETE", fields);
  }
}

static gboolean
sweep_below (Sweep *sweep, const char *probe, int depth, GError **error)
{
  g_autoptr (PgRows) below = step_query_text (sweep->step, error, probe, NAMED (sweep), NULL);
  if (below == NULL)
    return FALSE;
  int removed;
  for (int i = 0; i < rows_count (below) && sweep->left > 0; i++)
    if (!sweep_rows (sweep, rows_text (below, i, "relation"), rows_text (below, i, "condition"),
                     depth + 1, &removed, error))
      return FALSE;
  return TRUE;
}

/* Rows that a key would change: each table's by a statement of its own. *ANY: there were some. */
static gboolean
sweep_changes (Sweep *sweep, const char *probe, gboolean *any, GError **error)
{
  g_autoptr (PgRows) changes = step_query_text (sweep->step, error, probe, NAMED (sweep), NULL);
  if (changes == NULL)
    return FALSE;
  *any = rows_count (changes) > 0;
  for (int i = 0; i < rows_count (changes) && sweep->left > 0; i++) {
    g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
    g_autoptr (PgRows) changed
        = step_apply_text (sweep->step, error, rows_text (changes, i, "table_name"), "updated",
                           rows_text (changes, i, "sql"), NAMED (sweep), "limit", limit, NULL);
    if (changed == NULL)
      return FALSE;
    sweep->left -= rows_count (changed);
  }
  return TRUE;
}

/* What the application is just writing is met again. */
static gboolean
sweep_all_changes (Sweep *sweep, const PgRows *made, GError **error)
{
  const char *probe = rows_text (made, 0, "changes");
  gboolean any = probe != NULL;
  gint64 before = sweep->left + 1;
  while (any && sweep->left > 0 && sweep->left < before) {
    before = sweep->left;
    if (!sweep_changes (sweep, probe, &any, error))
      return FALSE;
  }
  return TRUE;
}

/* Locks those that may go now; *HELD: how many. */
static gboolean
hold_rows (Sweep *sweep, const PgRows *made, gint64 *held, GError **error)
{
  const char *sql = rows_text (made, 0, "hold");
  *held = sweep->left;
  if (sql == NULL) /* without the right to */
    return TRUE;
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
  g_autoptr (PgRows) rows
      = step_query_text (sweep->step, error, sql, NAMED (sweep), "limit", limit, NULL);
  if (rows != NULL)
    *held = rows_int (rows, 0, "held");
  return rows != NULL;
}

static gboolean
remove_rows (Sweep *sweep, const PgRows *made, gint64 *gone, GError **error)
{
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, sweep->left);
  g_autoptr (PgRows) rows
      = step_apply_text (sweep->step, error, rows_text (made, 0, "table_name"), "deleted",
                         rows_text (made, 0, "remove"), NAMED (sweep), "limit", limit, NULL);
  if (rows == NULL)
    return FALSE;
  *gone = rows_count (rows);
  sweep->left -= *gone;
  return TRUE;
}

/* What is below goes, the rows are held, what is tied to them otherwise is let loose, and they go.
 * *AGAIN: not all that were held did. */
static gboolean
sweep_once (Sweep *sweep, const PgRows *made, int depth, gint64 *gone, gboolean *again,
            GError **error)
{
  const char *probe = rows_text (made, 0, "probe");
  gint64 held = 0;
  *gone = 0;
  *again = FALSE;
  if (probe != NULL && depth < DEPTH && !sweep_below (sweep, probe, depth, error))
    return FALSE;
  if (sweep->left > 0 && !hold_rows (sweep, made, &held, error))
    return FALSE;
  if (held > 0 && !sweep_all_changes (sweep, made, error))
    return FALSE;
  if (held > 0 && sweep->left > 0 && !remove_rows (sweep, made, gone, error))
    return FALSE;
  *again = *gone < held && rows_text (made, 0, "hold") != NULL;
  return TRUE;
}

gboolean
sweep_rows (Sweep *sweep, const char *relation, const char *condition, int depth, int *removed,
            GError **error)
{
  *removed = 0;
  if (depth > 0 && g_strv_contains (sweep->refused, relation))
    return step_fail (
        sweep->step, error, PRUNED_DATA,
        "rows of %s refer, by a foreign key with ON DELETE CASCADE, to rows that are to go, and may not go with them "
        "unannounced: move or delete them first, then `pruned retry`",
        relation);
  g_autofree char *level = g_strdup_printf ("%d", depth);
  g_autoptr (PgRows) made = step_query (sweep->step, error, "../shared/cascades", "relation",
                                        relation, "condition", condition, "depth", level, NULL);
  if (made == NULL)
    return FALSE;
  gint64 before, gone;
  gboolean again, first = TRUE;
  do /* What came below a row before it was held goes first: once more, and as often as that helps.
      */
  {
    before = sweep->left;
    if (!sweep_once (sweep, made, depth, &gone, &again, error))
      return FALSE;
    *removed += (int)gone;
    again = again && sweep->left > 0 && (first || sweep->left < before);
    first = FALSE;
  } while (again);
  if (*removed > 0 && rows_text (made, 0, "unseen") != NULL)
    warn_unseen (sweep, rows_text (made, 0, "unseen"));
  return TRUE;
}
