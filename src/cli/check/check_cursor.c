/* The cursor of a folder's page, as the catalogue knows it. Two pages show the order of their rows;
 * what the other rows can be is said by unique indexes and NOT NULL. */
#include "cli/check/check.h"

#include "base/resource.h"

#define SQL "src/cli/check/sql/"

struct _CheckCursor {
  GString *names, *tables, *numbers, *open; /* of each column: array literals */
  gint64 key_table;                         /* of which the key is a column; 0: none */
};

CheckCursor *
check_cursor_of (const Job *job, const PgRows *rows)
{
  int number;
  if (job->sentence != NULL || job->built_in || job->cursor->len == 0)
    return NULL;
  CheckCursor *cursor = g_new0 (CheckCursor, 1);
  *cursor = (CheckCursor){ array_new (), array_new (), array_new (), array_new (), 0 };
  (void)!rows_origin (rows, "key", &cursor->key_table, &number);
  for (guint i = 0; i < job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (job->cursor, JobCursor, i);
    gint64 table;
    const gboolean known = rows_origin (rows, column->name, &table, &number);
    array_add (cursor->names, column->name);
    array_add_int (cursor->tables, known ? table : 0);
    array_add_int (cursor->numbers, known ? number : 0);
    array_add (cursor->open, column->open ? "t" : "f");
  }
  return cursor;
}

/* Rows of GROUP BY or DISTINCT have a cursor of their own, whatever the table allows. */
static gboolean
makes_unique (const Job *job)
{
  g_autofree char *path = g_build_filename (job->folder, "page.sql", NULL),
                  *text = resource_sql (path, NULL);
  return text == NULL
         || g_regex_match_simple ("\\b(GROUP\\s+BY|DISTINCT|UNION|INTERSECT|EXCEPT)\\b", text,
                                  G_REGEX_CASELESS, 0);
}

static PgRows *
ask (Check *check, CheckCursor *cursor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "name", array_take (cursor->names));
  pg_values_take (values, "table", array_take (cursor->tables));
  pg_values_take (values, "number", array_take (cursor->numbers));
  pg_values_take (values, "open", array_take (cursor->open));
  pg_values_int (values, "key_table", cursor->key_table);
  g_free (cursor);
  return check_ask (check, "cursor", SQL "cursor.sql", values);
}

/* Whether the page of JOB asks something else of COLUMN than to come behind the cursor. Then rows
 * with NULL there are most likely not due, or dealt with. */
static gboolean
is_asked_besides (const Job *job, const char *column)
{
  g_autofree char *path
      = g_build_filename (job->folder, "page.sql", NULL),
      *text = resource_sql (path, NULL), *name = g_regex_escape_string (column, -1),
      *pattern = g_strdup_printf (
          "\\b%s\"?(::\\w+)?\\s*(IS\\s+(NOT\\s+)?NULL\\b|"
          "(<>|!=|<=|>=|<|>|=|\\bBETWEEN\\b|\\bIN\\b|\\bLIKE\\b)\\s*(?![\\s<>=]|:cursor\\b))",
          name);
  return text != NULL && g_regex_match_simple (pattern, text, G_REGEX_CASELESS, 0);
}

static void
say (Check *check, const PgRows *rows, int i, CheckPlace place)
{
  const char *detail = rows_text (rows, i, "detail"), *column = rows_text (rows, i, "name");
  if (rows_bool (rows, i, "holds") && !is_asked_besides (check->job, column))
    check_error (check, CODE_CONFIG, "cursor", place, NULL, "%s", detail);
  else
    check_warn (check, "cursor", place, NULL, "%s", detail);
}

void
check_cursor (Check *check, CheckCursor *cursor, CheckPlace place)
{
  const gboolean made = makes_unique (check->job);
  g_autoptr (PgRows) rows = ask (check, cursor);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (!made || rows_bool (rows, i, "holds"))
      say (check, rows, i, place);
  if (rows != NULL && rows_count (rows) == 0)
    check_ok (check, "cursor", "a unique index covers its columns, and none of them can be NULL");
}

static CheckCursor *
described (Check *check)
{
  const Job *job = check->job;
  g_autoptr (PgRows) rows = job->page != NULL && job->sentence == NULL && pg_begin (check->pg, NULL)
                                ? pg_describe (check->pg, job->page, NULL)
                                : NULL;
  pg_rollback (check->pg);
  return rows != NULL ? check_cursor_of (job, rows) : NULL;
}

void
check_cursor_nulls (Check *check)
{
  CheckCursor *cursor = described (check);
  if (cursor == NULL)
    return;
  char *page = g_build_filename (check->job->folder, "page.sql", NULL);
  g_ptr_array_add (check->texts, page);
  g_autoptr (PgRows) rows = ask (check, cursor);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    if (rows_bool (rows, i, "holds"))
      say (check, rows, i, (CheckPlace){ page, 0 });
}
