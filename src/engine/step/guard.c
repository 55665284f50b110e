#include "engine/step/guard.h"

#include "base/plural.h"
#include "engine/job/cursor_type.h"

#include <stdarg.h>
#include <string.h>

/* `apply/removed/10-members.sql`; statements of the engine itself keep their names. */
static char *
file_of (const Job *job, const PgStatement *statement)
{
  const char *name = pg_statement_name (statement);
  gsize folder = strlen (job->folder);
  if (strncmp (name, job->folder, folder) == 0 && name[folder] == '/')
    name += folder + 1;
  return g_strndup (name, strcspn (name, "#"));
}

gboolean
guard_block (Step *step, const PgStatement *statement, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *file = file_of (step->job, statement);
  step_set_error_class (step, "guard");
  return step_block (step, error, GUARD_PREFIX "%s %s", file, text);
}

/* --- what files return has the columns that it must have --- */

static int
find_column (const PgStatement *statement, const PgRows *rows, const char *name, GError **error)
{
  int column = rows_column (rows, name);
  if (column < 0)
    g_set_error (error, PRUNED_ERROR, PRUNED_RETRY,
                 "%s returns no column '%s': see docs/adding-a-job.md",
                 pg_statement_name (statement), name);
  return column;
}

static gboolean
is_whole (const PgStatement *statement, const PgRows *rows, const char *name, GError **error)
{
  int column = find_column (statement, rows, name, error);
  for (int i = 0; column >= 0 && i < rows_count (rows); i++)
    if (rows_at (rows, i, column) == NULL)
      return error_set (error, PRUNED_RETRY,
                        "%s returns a row whose '%s' is NULL: see docs/adding-a-job.md",
                        pg_statement_name (statement), name);
  return column >= 0;
}

gboolean
guard_columns (const PgStatement *statement, const PgRows *rows, const char *columns,
               GError **error)
{
  g_auto (GStrv) names = g_strsplit (columns, " ", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (find_column (statement, rows, names[i], error) < 0)
      return FALSE;
  return TRUE;
}

gboolean
guard_whole (const PgStatement *statement, const PgRows *rows, const char *columns, GError **error)
{
  g_auto (GStrv) names = g_strsplit (columns, " ", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (!is_whole (statement, rows, names[i], error))
      return FALSE;
  return TRUE;
}

gboolean
guard_page_columns (const Job *job, const PgRows *rows, GError **error)
{
  g_autoptr (GString) columns = g_string_new ("key");
  for (guint i = 0; i < job->cursor->len; i++)
    g_string_append_printf (columns, " %s", g_array_index (job->cursor, JobCursor, i).name);
  return guard_columns (job->page, rows, columns->str, error);
}

/* --- a page --- */

static char *
text_of (const json_t *value)
{
  return json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
}

/* The cursor that a page of RUN is given; the first page of a run has none. */
static json_t *
given (const Run *run)
{
  json_t *cursor = json_object ();
  for (guint i = 0; i < run->job->cursor->len; i++) {
    const char *name = g_array_index (run->job->cursor, JobCursor, i).name;
    json_t *value = json_object_get (run->cursor, name);
    if (value == NULL)
      value = json_object_get (json_object_get (run->args, "cursor"), name);
    if (value != NULL)
      json_object_set (cursor, name, value);
  }
  return cursor;
}

/* IS lies behind WAS in the order of JOB, or may do so. */
static gboolean
lies_behind (const Job *job, const json_t *was, const json_t *is)
{
  for (guint i = 0; i < job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (job->cursor, JobCursor, i);
    const json_t *before = json_object_get (was, column->name);
    const json_t *after = json_object_get (is, column->name);
    if (before == NULL || after == NULL)
      return TRUE;
    int order = 0;
    g_autofree char *a = text_of (before), *b = text_of (after);
    if (json_is_null (before) == json_is_null (after) && g_str_equal (a, b))
      continue; /* NULL is no text, not even `null` */
    if (json_is_null (before) || json_is_null (after)
        || !cursor_type_order (cursor_type_kind (column->type), a, b, &order))
      return TRUE;
    if (order != 0)
      return (order < 0) != column->descending;
  }
  return job->cursor->len == 0;
}

/* A column of the cursor whose NULL makes the next page begin at the first row again; NULL: there
 * is none. If columns may be NULL, others tell a later page from the first. */
static const char *
column_that_begins (const Job *job, const Page *page)
{
  const char *column = NULL;
  guint nulls = 0;
  for (guint i = 0; page->more && i < job->cursor->len; i++) {
    const JobCursor *one = &g_array_index (job->cursor, JobCursor, i);
    if (!json_is_null (json_object_get (page->cursor, one->name)))
      continue;
    if (!one->open)
      return one->name;
    nulls++;
    column = one->name;
  }
  return nulls > 0 && nulls == job->cursor->len ? column : NULL;
}

gboolean
guard_page_advances (const Run *run, const Page *page)
{
  if (page->cursor == NULL || !GUARDS)
    return TRUE;
  if (column_that_begins (run->job, page) != NULL || page->back > 0)
    return FALSE;
  g_autoptr (json_t) was = given (run);
  return lies_behind (run->job, was, page->cursor)
         && (page->next == NULL || lies_behind (run->job, page->cursor, page->next));
}

static char *
cursor_text (const Job *job, const json_t *cursor)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < job->cursor->len; i++) {
    const char *name = g_array_index (job->cursor, JobCursor, i).name;
    const json_t *value = json_object_get (cursor, name);
    g_autofree char *one = value != NULL ? text_of (value) : g_strdup ("not given");
    g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", name, one);
  }
  return g_string_free (text, FALSE);
}

/* WHERE the cursor is IS, which does not lie behind WAS. */
static gboolean
block_page (Step *step, const json_t *was, const json_t *is, const char *where, GError **error)
{
  g_autofree char *a = cursor_text (step->job, was), *b = cursor_text (step->job, is);
  return guard_block (step, step->job->page, error, "has a cursor that %s: %s it is %s, after %s",
                      g_str_equal (a, b) ? "stands still" : "goes back", where, b, a);
}

gboolean
guard_page (Step *step, const Page *page, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; GUARDS && i < page->keys->len; i++)
    if (!g_hash_table_add (known, page->keys->pdata[i]))
      return guard_block (step, step->job->page, error, "returns the key %s twice",
                          (char *)page->keys->pdata[i]);
  if (guard_page_advances (step->run, page))
    return TRUE;
  const char *column = column_that_begins (step->job, page);
  if (column != NULL)
    return guard_block (
        step, step->job->page, error,
        "ends a page with NULL in %s, a column of the cursor: the next page would "
        "begin at the first row again. Leave such rows out, or have more columns in "
        "the cursor and declare this one null",
        column);
  g_autoptr (json_t) was = given (step->run);
  if (!lies_behind (step->job, was, page->cursor))
    return block_page (step, was, page->cursor, "at the end of its page", error);
  if (page->next != NULL && !lies_behind (step->job, page->cursor, page->next))
    return block_page (step, page->cursor, page->next, "at the first row behind a page", error);
  return guard_block (step, step->job->page, error,
                      "returns rows that are not in the order of its cursor: row %d lies before "
                      "the one before it; ORDER BY must be the cursor",
                      page->back);
}

/* --- a decision --- */

/* A word without a group has no effect that is known. A job that declares no words and has no
 * effects may say what it likes, unless it would be counted as a change. */
static gboolean
may_say (const Job *job, const char *word)
{
  if (job->whats->len > 0 || job->applies)
    return job_what (job, word) != NULL;
  return job->code != NULL || !(g_str_equal (word, "removed") || g_str_equal (word, "changed"));
}

static gboolean
are_words_declared (Step *step, const PgStatement *statement, const PgRows *decided, GError **error)
{
  int key = rows_column (decided, "key"), what = rows_column (decided, "what");
  for (int i = 0; i < rows_count (decided); i++)
    if (!may_say (step_form (step), rows_at (decided, i, what)))
      return guard_block (
          step, statement, error, "says '%s' of the key %s, and job.conf has no group [what %s]",
          rows_at (decided, i, what), rows_at (decided, i, key), rows_at (decided, i, what));
  return TRUE;
}

/* The event's key may be written otherwise than PostgreSQL writes it (an uuid in capitals). */
static gboolean
is_of_event (const Step *step, const GPtrArray *keys)
{
  return keys->len == 1 && page_is_named (step->run);
}

/* How often each key of KEYS is still to come. */
static GHashTable *
keys_to_come (const GPtrArray *keys)
{
  GHashTable *open = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < keys->len; i++) {
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (open, keys->pdata[i]));
    g_hash_table_insert (open, keys->pdata[i], GUINT_TO_POINTER (n + 1));
  }
  return open;
}

/* As it nearly always is: then nothing else has to be asked. */
static gboolean
is_in_page_order (const GPtrArray *keys, const PgRows *decided)
{
  int column = rows_column (decided, "key");
  gboolean same = rows_count (decided) == (int)keys->len;
  for (guint i = 0; same && i < keys->len; i++)
    same = g_str_equal (rows_at (decided, (int)i, column), keys->pdata[i]);
  return same;
}

static gboolean
is_each_key_decided (Step *step, const PgStatement *statement, const GPtrArray *keys,
                     const PgRows *decided, GError **error)
{
  g_autoptr (GHashTable) open = keys_to_come (keys);
  int column = rows_column (decided, "key");
  for (int i = 0; i < rows_count (decided); i++) {
    const char *key = rows_at (decided, i, column);
    gpointer n;
    if (!g_hash_table_lookup_extended (open, key, NULL, &n))
      return guard_block (step, statement, error, "returns the key %s, which is not of its page",
                          key);
    if (GPOINTER_TO_UINT (n) == 0)
      return guard_block (step, statement, error, "returns the key %s twice", key);
    g_hash_table_insert (open, (gpointer)key, GUINT_TO_POINTER (GPOINTER_TO_UINT (n) - 1));
  }
  for (guint i = 0; rows_count (decided) < (int)keys->len && i < keys->len; i++)
    if (g_hash_table_lookup (open, keys->pdata[i]) != NULL)
      return guard_block (step, statement, error,
                          "leaves out the key %s of its page (%u %s, %d %s)",
                          (char *)keys->pdata[i], keys->len, plural (keys->len, "key", "keys"),
                          rows_count (decided), plural (rows_count (decided), "row", "rows"));
  return TRUE;
}

gboolean
guard_decided (Step *step, const PgStatement *statement, const GPtrArray *keys,
               const PgRows *decided, GError **error)
{
  if (GUARDS && !are_words_declared (step, statement, decided, error))
    return FALSE;
  if (!GUARDS || (rows_count (decided) == 1 && is_of_event (step, keys))
      || is_in_page_order (keys, decided))
    return TRUE;
  return is_each_key_decided (step, statement, keys, decided, error);
}
