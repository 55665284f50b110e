/* Whether the ORDER BY of a folder's page is its cursor. Rows can lie in the cursor's order by
 * luck, so the plan is asked: with no index to read it from, it sorts by what ORDER BY says. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "engine/job/step_order.h"
#include "pg/quoted.h"

#include <string.h>

/* --- the plan --- */

/* The plan of the page, whose order comes from a sort. It is that of a range: EXPLAIN writes
 * columns in one way only where there is more than one table. NULL: another finding says why. */
static char *
plan_of_page (Check *check)
{
  static const char *const off[]
      = { "SET LOCAL enable_indexscan = off", "SET LOCAL enable_indexonlyscan = off",
          "SET LOCAL enable_mergejoin = off", "SET LOCAL enable_incremental_sort = off" };
  int line;
  gboolean ok = pg_begin (check->pg, NULL);
  for (guint i = 0; ok && i < G_N_ELEMENTS (off); i++)
    ok = pg_exec_later (check->pg, off[i], NULL);
  char *plan = ok ? pg_explain (check->pg, check->job->page_until, &line, NULL) : NULL;
  pg_rollback (check->pg);
  return plan;
}

/* What sorts the rows of PLANS, below nothing that could change their columns; NULL: this cannot be
 * told. */
static const json_t *
sort_of (const json_t *plans)
{
  static const char *const through[] = { "Subquery Scan", "Limit", "LockRows", NULL };
  const json_t *node = json_object_get (json_array_get (plans, 0), "Plan");
  const char *type = json_string_value (json_object_get (node, "Node Type"));
  while (type != NULL && g_strv_contains (through, type)) {
    node = json_array_get (json_object_get (node, "Plans"), 0);
    type = json_string_value (json_object_get (node, "Node Type"));
  }
  return g_strcmp0 (type, "Sort") == 0 ? node : NULL;
}

/* --- the cursor --- */

/* KEY of a sort: `t.day DESC NULLS LAST` is the column EXPRESSION, in this direction. */
static gboolean
is_by (const char *key, const char *expression, gboolean descending)
{
  static const char *const nulls[] = { " NULLS FIRST", " NULLS LAST" };
  g_autofree char *text = g_strdup (key);
  for (guint i = 0; i < G_N_ELEMENTS (nulls); i++)
    if (g_str_has_suffix (text, nulls[i]))
      text[strlen (text) - strlen (nulls[i])] = '\0';
  const gboolean falls = g_str_has_suffix (text, " DESC");
  if (falls)
    text[strlen (text) - strlen (" DESC")] = '\0';
  return falls == descending && g_strcmp0 (text, expression) == 0;
}

static int
place_of (char *const *columns, const char *name)
{
  for (int i = 0; columns[i] != NULL; i++)
    if (g_str_equal (columns[i], name))
      return i;
  return -1;
}

/* How many columns of the cursor SORT has in turn. PostgreSQL leaves out those that are the same in
 * all rows. */
static guint
in_turn (const Check *check, const json_t *sort, char *const *columns)
{
  const GArray *cursor = check->job->cursor;
  const json_t *keys = json_object_get (sort, "Sort Key"),
               *output = json_object_get (sort, "Output");
  size_t n = 0;
  for (guint i = 0; i < cursor->len; i++) {
    const JobCursor *column = &g_array_index (cursor, JobCursor, i);
    const int at = place_of (columns, column->name);
    const char *key = json_string_value (json_array_get (keys, n)),
               *expression
               = at < 0 ? NULL : json_string_value (json_array_get (output, (size_t)at));
    n += key != NULL && is_by (key, expression, column->descending);
  }
  return (guint)n;
}

/* How many items the list TEXT has. */
static guint
items_of (const char *text)
{
  guint n = 1;
  int depth = 0;
  for (const char *p = text, *end; *p != '\0'; p = end) {
    end = p + 1;
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + 1;
    depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    n += *p == ',' && depth == 0;
  }
  return n;
}

void
check_order (Check *check)
{
  const GArray *cursor = check->job->cursor;
  if (check->job->page_until == NULL)
    return;
  char *path = g_build_filename (check->job->folder, "page.sql", NULL);
  g_ptr_array_add (check->texts, path);
  g_autofree char *text = resource_sql (path, NULL),
                  *order = text != NULL ? step_order_of (text) : NULL, *plan = plan_of_page (check);
  g_autoptr (json_t) plans = plan != NULL ? json_parse (plan, strlen (plan), NULL) : NULL;
  const json_t *sort = sort_of (plans);
  if (order == NULL || sort == NULL)
    return;
  g_auto (GStrv) columns
      = pg_begin (check->pg, NULL) ? pg_columns (check->pg, check->job->page, NULL) : NULL;
  pg_rollback (check->pg);
  const guint n = columns != NULL ? in_turn (check, sort, columns) : cursor->len;
  const gboolean same = n == json_array_size (json_object_get (sort, "Sort Key"));
  if (n < cursor->len && !(same && items_of (order) >= cursor->len))
    check_warn (
        check, "cursor", (CheckPlace){ path, 0 }, NULL,
        "ORDER BY %s is not its columns in turn: rows that come in turn by luck are skipped "
        "once they do not",
        order);
}
