#include "cli/item.h"

#include "engine/job/sentence/key_read.h"
#include "engine/job/sentence/sentence_key.h"

#include <string.h>

#define NEITHER "'%s:%s': the key is neither a number nor a text nor a JSON object"

void
item_clear (Item *item)
{
  g_clear_pointer (&item->table, g_free);
  g_clear_pointer (&item->key, g_free);
}

/* TEXT as JSON: a number or an object if it parses as one, else a string. */
static char *
key_of (const char *text)
{
  g_autoptr (json_t) key = json_parse (text, strlen (text), NULL);
  if (key == NULL || !(json_is_integer (key) || json_is_object (key))) {
    g_clear_pointer (&key, json_decref);
    key = json_string (text);
  }
  return key != NULL ? json_text (key) : NULL;
}

gboolean
item_make (const char *table, const char *text, Item *item, GError **error)
{
  *item = (Item){ 0 };
  gboolean fine = g_utf8_validate (table, -1, NULL) && g_utf8_validate (text, -1, NULL);
  char *key = fine ? key_of (text) : NULL;
  if (key == NULL) {
    cli_usage (error, "'%s:%s' is not UTF-8", table, text);
    return FALSE;
  }
  *item = (Item){ g_strdup (table), key };
  return TRUE;
}

gboolean
item_parse (const char *text, Item *item, GError **error)
{
  *item = (Item){ 0 };
  const char *colon = strchr (text, ':');
  if (colon == NULL || colon == text || colon[1] == '\0') {
    cli_usage (error, "'%s': expected TABLE:KEY, like members:42", text);
    return FALSE;
  }
  g_autofree char *table = g_strndup (text, (gsize)(colon - text));
  return item_make (table, colon + 1, item, error);
}

/* Does the object KEY have all COLUMNS? One without columns names no row. */
static gboolean
has_all (const char *key, const char *columns)
{
  g_autoptr (json_t) object = json_parse (key, strlen (key), NULL);
  g_auto (GStrv) names = g_strsplit (columns, ", ", -1);
  gboolean all = json_object_size (object) > 0;
  for (char **name = names; *name != NULL; name++)
    all = all && json_object_get (object, *name) != NULL;
  return all;
}

/* Does the object KEY name any column that is not among COLUMNS, or none at all? */
static gboolean
is_strange (const char *key, const char *columns)
{
  g_autoptr (json_t) object = json_parse (key, strlen (key), NULL);
  g_auto (GStrv) names = g_strsplit (columns, ", ", -1);
  const char *name;
  json_t *value;
  json_object_foreach (object, name, value) {
    if (!g_strv_contains ((const char *const *)names, name) && strstr (name, ", ") == NULL)
      return TRUE;
  }
  return json_object_size (object) == 0;
}

/* The key of one column, which the audit has without its name: KEY, or what the object KEY says of
 * COLUMN. NULL: it says something else. */
static char *
without_name (const char *key, const char *column)
{
  g_autoptr (json_t) object = json_parse (key, strlen (key), NULL);
  json_t *value = json_object_size (object) == 1 ? json_object_get (object, column) : NULL;
  return json_is_integer (value) || json_is_string (value) ? json_text (value) : NULL;
}

static ExitCode
compare_object (Item *item, const PgRows *rows, GError **error)
{
  const char *columns = rows_text (rows, 0, "columns");
  const gint64 n = rows_int (rows, 0, "n");
  if (n > 1 && is_strange (item->key, columns))
    return cli_usage (error, "%s:%s: the key of %s has the columns %s", item->table, item->key,
                      item->table, columns);
  if (n != 1 || !(rows_bool (rows, 0, "numbers") || rows_bool (rows, 0, "texts")))
    return CODE_OK;
  char *key = without_name (item->key, columns);
  if (key == NULL)
    return cli_usage (error, "%s:%s: the key of %s is the column %s: write it as %s:KEY",
                      item->table, item->key, item->table, columns, item->table);
  g_free (item->key);
  item->key = key;
  return CODE_OK;
}

static ExitCode
compare (Item *item, gboolean whole, const PgRows *rows, GError **error)
{
  gint64 n = rows_int (rows, 0, "n");
  const char *columns = rows_text (rows, 0, "columns");
  gboolean object = *item->key == '{';
  if (n > 1 && !object && !g_str_has_prefix (item->key, "\"{"))
    return cli_usage (error,
                      "the key of %s has the columns %s: write it as %s:{\"column\": value, ...}",
                      item->table, columns, item->table);
  if (whole && object && !has_all (item->key, columns))
    return cli_usage (error, "%s:%s is not one row: the key of %s has the columns %s", item->table,
                      item->key, item->table, *columns != '\0' ? columns : "of the whole row");
  if (object && compare_object (item, rows, error) != CODE_OK)
    return CODE_USAGE;
  gboolean text = *item->key == '"';
  object = *item->key == '{';
  if (n == 1 && !object && !text && rows_bool (rows, 0, "texts")) {
    g_autofree char *digits = g_steal_pointer (&item->key);
    g_autoptr (json_t) key = json_string (digits);
    item->key = json_text (key);
  }
  if (text && item->key[1] == '{' && (n != 1 || rows_bool (rows, 0, "numbers")))
    return cli_usage (error, NEITHER, item->table, item->key);
  if (n == 1 && text && rows_bool (rows, 0, "numbers"))
    return cli_usage (error, "%s: the key of %s (%s) is a number", item->key, item->table, columns);
  return CODE_OK;
}

/* --- the key as the audit has it --- */

static char *
text_of (const json_t *value)
{
  return json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
}

/* The texts of the columns; NULL: the key names a row in another way. */
static char **
parts_of (const char *key, const PgRows *rows)
{
  const gsize n = (gsize)rows_int (rows, 0, "n");
  g_autoptr (json_t) value = json_parse_digits (key, strlen (key), NULL);
  g_auto (GStrv) names = g_strsplit (rows_text (rows, 0, "columns"), ", ", -1);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  if (n == 1 && !json_is_object (value))
    g_ptr_array_add (parts, text_of (value));
  else if (n <= 1 || json_object_size (value) != n || g_strv_length (names) != n)
    return NULL;
  for (gsize i = 0; parts->len < n; i++) {
    const json_t *one = json_object_get (value, names[i]);
    if (one == NULL || json_is_null (one))
      return NULL;
    g_ptr_array_add (parts, text_of (one));
  }
  g_ptr_array_add (parts, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&parts), FALSE);
}

/* Reads the key as the columns of the primary key: the audit has their values. */
static ExitCode
read_key (Item *item, Pg *pg, const PgRows *rows, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *key = NULL;
  g_auto (GStrv) parts = parts_of (item->key, rows);
  if (parts == NULL || rows_bool (rows, 0, "numbers"))
    return CODE_OK;
  gboolean ok = pg_begin_read_only (pg, &cause) && key_read (pg, item->table, parts, &key, &cause);
  pg_rollback (pg);
  if (!ok && cause->code != PRUNED_REJECT) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return cli_pg_failed (pg, error);
  }
  if (key == NULL)
    return cli_usage (error, "%s: no key of %s (%s): %s", item->key, item->table,
                      rows_text (rows, 0, "columns"), ok ? KEY_INEXACT : cause->message);
  g_free (item->key);
  item->key = g_steal_pointer (&key);
  return CODE_OK;
}

ExitCode
item_check (Item *item, Pg *pg, gboolean whole, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", item->table);
  g_autoptr (PgRows) rows = pg_begin_read_only (pg, error)
                                ? pg_run_file (pg, "src/cli/sql/who_table.sql", values, error)
                                : NULL;
  pg_rollback (pg);
  if (rows == NULL)
    return cli_pg_failed (pg, error);
  if (rows_count (rows) == 0)
    return cli_fail (CODE_NOT_FOUND, error, "there is no table '%s'", item->table);
  g_free (item->table);
  item->table = g_strdup (rows_text (rows, 0, "name"));
  ExitCode code = compare (item, whole, rows, error);
  return code == CODE_OK ? read_key (item, pg, rows, error) : code;
}

static gboolean
is_plain (const char *text)
{
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && strchr ("_.:-@+", *text) == NULL)
      return FALSE;
  return TRUE;
}

char *
item_argument (const char *table, const char *key)
{
  g_autoptr (json_t) value = json_parse (key, strlen (key), NULL);
  g_autofree char *text
      = g_strdup_printf ("%s:%s", table, json_is_string (value) ? json_string_value (value) : key);
  return is_plain (text) ? g_steal_pointer (&text) : g_shell_quote (text);
}
