/* Rows that refer to the user go to the ghost user, column after column in the order of their
 * names, by keyset on each table's primary key. The cursor names the column and its last key. Which
 * of the columns have rows is asked in one statement; those that take long are asked by themselves.
 */
#include "references.h"

#include "base/plural.h"
#include "jobs/shared/hidden.h"
#include "jobs/shared/placeholder.h"

#include <string.h>

#define TIME_US                                                                                    \
  (5 * G_USEC_PER_SEC) /* a column without an index takes long: then one column a step */

/* Runs SQL on KEYS; returns how many rows it changed, -1 with an error. */
static int
change (Destroy *destroy, const char *sql, const char *table, const char *action, const char *keys,
        GError **error)
{
  g_autoptr (PgRows) rows
      = step_apply_text (destroy->step, error, table, action, sql, "key", keys, "user_id",
                         destroy->user_id, "ghost_id", destroy->ghost_id, NULL);
  return rows != NULL ? rows_count (rows) : -1;
}

/* How many rows of KEYS a trigger has set back; -1 with an error. Only for columns that the last
 * check leaves out. */
static gint64
count_kept (Destroy *destroy, const PgRows *references, int row, const char *keys, GError **error)
{
  if (rows_bool (references, row, "quick"))
    return 0;
  g_autoptr (PgRows) kept
      = step_query_text (destroy->step, error, rows_text (references, row, "kept"), "key", keys,
                         "user_id", destroy->user_id, NULL);
  return kept != NULL ? rows_int (kept, 0, "n") : -1;
}

/* Moves one page of one column; rows that a unique key forbids to move are deleted. */
static gboolean
move_page (Destroy *destroy, const PgRows *references, int row, const PgRows *page, GError **error)
{
  const char *table = rows_text (references, row, "table_name"),
             *clash = rows_text (references, row, "clash");
  g_autofree char *keys = rows_array (page, "key");
  step_tries (destroy->step, rows_count (page));
  int deleted = clash == NULL ? 0 : change (destroy, clash, table, "deleted", keys, error);
  if (deleted < 0)
    return FALSE;
  int changed = change (destroy, rows_text (references, row, "change"), table,
                        rows_text (references, row, "action"), keys, error);
  if (changed < 0)
    return FALSE;
  const gint64 kept = count_kept (destroy, references, row, keys, error);
  if (kept < 0)
    return FALSE;
  const int stay = MAX (rows_count (page) - deleted - changed, (int)kept);
  if (stay > 0)
    return step_fail (destroy->step, error, PRUNED_DATA,
                      "%d %s of %s %s not changed (a trigger or a rule keeps %s)", stay,
                      plural (stay, "row", "rows"), rows_text (references, row, "name"),
                      plural (stay, "was", "were"), plural (stay, "it", "them"));
  destroy->left -= rows_count (page);
  step_tries (destroy->step, 0);
  return TRUE;
}

/* Moves rows of one column. *LAST: the last key, if the step's limit was reached first; g_free it.
 */
static gboolean
move_column (Destroy *destroy, const PgRows *references, int row, const char *after, char **last,
             GError **error)
{
  gint64 share = destroy->left;
  g_autofree char *limit = g_strdup_printf ("%" G_GINT64_FORMAT, share);
  g_autoptr (PgRows) page = step_query_text (
      destroy->step, error, rows_text (references, row, after != NULL ? "further" : "page"),
      "user_id", destroy->user_id, "limit", limit, "after", after, NULL);
  if (page == NULL || (rows_count (page) > 0 && !move_page (destroy, references, row, page, error)))
    return FALSE;
  if (rows_count (page) == share)
    *last = g_strdup (rows_text (page, rows_count (page) - 1, "key"));
  return TRUE;
}

gboolean
users_destroy_look_for_hidden (Destroy *destroy, GError **error)
{
  const PgRows *rows = step_query_kept (destroy->step, destroy->stamp, error, "hidden",
                                        LISTS (destroy->step), NULL);
  return rows != NULL && hidden_refuse_rows (destroy->step, rows, error)
         && hidden_refuse (destroy->step, destroy->stamp, "{users,members,namespaces}",
                           "{projects,ci_job_artifacts}", error);
}

gboolean
users_destroy_look_for_held (Destroy *destroy, GError **error)
{
  Step *step = destroy->step;
  if (!step_rows_are_held (step))
    return TRUE;
  if (!step_keeps_below (step, "users", destroy->user_id, error))
    return FALSE;
  g_autoptr (PgRows) made = step_query (step, error, "held", LISTS (step), NULL);
  const char *sql = made != NULL ? rows_text (made, 0, "sql") : NULL;
  if (sql == NULL)
    return made != NULL;
  g_autoptr (PgRows) held = step_query_text (step, error, sql, "user_id", destroy->user_id, NULL);
  if (held == NULL || rows_count (held) == 0)
    return held != NULL;
  return step_keep (step, error, rows_text (held, 0, "kind"), rows_text (held, 0, "item"), "it");
}

static const PgRows *
make_look (Destroy *destroy, GError **error)
{
  return step_query_kept (destroy->step, destroy->stamp, error, "left", LISTS (destroy->step),
                          NULL);
}

gboolean
users_destroy_prepare_look (Destroy *destroy, GError **error)
{
  return make_look (destroy, error) != NULL;
}

gboolean
users_destroy_queue_look (Destroy *destroy, GError **error)
{
  const PgRows *made = make_look (destroy, error);
  const char *sql = made != NULL ? rows_text (made, 0, "sql") : NULL;
  return made != NULL
         && users_queue_text (destroy->users,
                              sql != NULL ? sql : "SELECT NULL::text AS name WHERE false", error);
}

PgRows *
users_destroy_look (Destroy *destroy, GError **error)
{
  g_autoptr (GPtrArray) all
      = users_destroy_queue_look (destroy, error) ? step_send (destroy->step, error) : NULL;
  return all != NULL ? g_ptr_array_steal_index (all, 0) : NULL;
}

static void
continue_after (Destroy *destroy, const char *name, const char *last)
{
  json_t *fields = json_pack ("{s:s}", "reference", name);
  if (last != NULL)
    json_object_set_new (fields, "after", json_string (last));
  users_destroy_continue (destroy, "references", fields);
}

/* Moves the rows of one column. *MORE: the step ends here. */
static gboolean
move_next (Destroy *destroy, const PgRows *references, int row, const char *after, gboolean *more,
           GError **error)
{
  g_autofree char *last = NULL;
  const char *here = rows_text (references, row, "name");
  *more = step_elapsed_us (destroy->step) > TIME_US;
  if (!*more && !move_column (destroy, references, row, after, &last, error))
    return FALSE;
  if (*more || last != NULL)
    continue_after (destroy, here, last);
  *more = *more || last != NULL;
  return TRUE;
}

/* What this leaves of the columns that were found, because a row had two of the columns or
 * something keeps it, is found column by column. *DONE: nothing is left. */
static gboolean
move_found (Destroy *destroy, const PgRows *references, const PgRows *found, gboolean *done,
            GError **error)
{
  gint64 changed, left;
  if (!users_move (destroy->users, found, references, destroy->ghost_id, destroy->left, &changed,
                   &left, error))
    return FALSE;
  destroy->left -= changed;
  *done = left == 0;
  return TRUE;
}

gboolean
users_destroy_references (Destroy *destroy, const PgRows *found, gboolean *more, GError **error)
{
  const json_t *cursor = step_cursor (destroy->step);
  const char *name = json_string_value (json_object_get (cursor, "reference"));
  const char *after = json_string_value (json_object_get (cursor, "after"));
  const PgRows *references = step_query_kept (destroy->step, destroy->stamp, error, "references",
                                              LISTS (destroy->step), NULL);
  gboolean done = FALSE; /* what was found */
  if (references == NULL
      || (name == NULL && !move_found (destroy, references, found, &done, error)))
    return FALSE;
  for (int i = 0; i < rows_count (references) && !*more; i++) {
    const char *here = rows_text (references, i, "name");
    if (name != NULL && strcmp (here, name) < 0)
      continue;
    if (rows_bool (references, i, "quick") && (done || !rows_has (found, "name", here)))
      continue;
    if (!move_next (destroy, references, i, g_strcmp0 (here, name) == 0 ? after : NULL, more,
                    error))
      return FALSE;
  }
  return TRUE;
}
