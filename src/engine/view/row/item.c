#include "engine/view/row/item_private.h"

#include <string.h>

void
item_clear (Item *item)
{
  g_clear_pointer (&item->table, g_free);
  g_clear_pointer (&item->text, g_free);
  g_clear_pointer (&item->key, g_free);
  g_clear_pointer (&item->in_json, g_free);
  g_clear_pointer (&item->known, g_free);
  g_clear_pointer (&item->spellings, g_ptr_array_unref);
}

gboolean
item_each_key (const Item *item, ItemKeyFunc func, gpointer data, GError **error)
{
  gboolean ok = func (item->key, item->in_json, data, error);
  for (guint i = 0; ok && item->spellings != NULL && i < item->spellings->len; i++)
    ok = func (item->spellings->pdata[i], NULL, data, error);
  return ok;
}

gboolean
item_make (const char *table, const char *text, Item *item, GError **error)
{
  *item = (Item){ 0 };
  if (!g_utf8_validate (table, -1, NULL) || !g_utf8_validate (text, -1, NULL)) {
    return error_reject (error, "'%s:%s' is not UTF-8", table, text);
  }
  *item = (Item){ .table = g_strdup (table), .text = g_strdup (text) };
  return TRUE;
}

/* The end of a name in SQL quotes at NAME; NULL: there is none. */
static const char *
quoted_end (const char *name)
{
  const char *at = *name == '"' ? strchr (name + 1, '"') : NULL;
  while (at != NULL && at[1] == '"')
    at = strchr (at + 2, '"');
  return at != NULL ? at + 1 : NULL;
}

/* The colon behind the table's name, which can have others in SQL quotes; NULL: there is none. */
static const char *
find_colon (const char *text)
{
  const char *name = text, *end;
  while ((end = quoted_end (name)) != NULL || (end = strpbrk (name, ".:")) != NULL) {
    if (*end == ':')
      return end;
    if (*end != '.')
      break;
    name = end + 1;
  }
  return strchr (text, ':');
}

gboolean
item_parse (const char *text, Item *item, GError **error)
{
  *item = (Item){ 0 };
  const char *colon = find_colon (text);
  if (colon == NULL || colon == text)
    return error_reject (error, "'%s': expected TABLE:KEY, like members:42", text);
  g_autofree char *table = g_strndup (text, (gsize)(colon - text));
  return item_make (table, colon + 1, item, error);
}

/* Folders name tables as they like (`public.orders`, `ORDERS`), and so does the audit then. */
static char *
known_tables (const Jobs *jobs)
{
  GString *array = array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    for (guint k = 0; !job->built_in && k < job->whats->len; k++) {
      const GArray *apply = ((const JobWhat *)job->whats->pdata[k])->apply;
      for (guint n = 0; n < apply->len; n++)
        array_add (array, g_array_index (apply, JobApply, n).table);
    }
  }
  return array_take (array);
}

ItemEnd
item_check (Item *item, const Jobs *jobs, Pg *pg, gboolean whole, GError **error)
{
  g_free (item->known);
  item->known = known_tables (jobs);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "whose", item->table);
  g_autoptr (PgRows) rows
      = pg_begin_read_only (pg, error)
            ? pg_run_file (pg, "src/engine/view/row/sql/who_table.sql", values, error)
            : NULL;
  pg_rollback (pg);
  if (rows == NULL)
    return ITEM_FAILED;
  if (rows_count (rows) == 0)
    return (void)error_reject (error, "there is no table '%s'", item->table), ITEM_NO_TABLE;
  g_free (item->table);
  item->table = g_strdup (rows_text (rows, 0, "name"));
  const char *each = rows_text (rows, 0, "each");
  g_autoptr (json_t) names = json_parse (each, strlen (each), error);
  if (names == NULL)
    return ITEM_FAILED;
  const ItemKey key = { rows_int (rows, 0, "n"), rows_bool (rows, 0, "numbers"),
                        rows_text (rows, 0, "columns"), names };
  ItemEnd code = item_take_key (item, pg, whole, &key, error);
  if (code == ITEM_READ && !item_take_spellings (item, pg, error))
    return ITEM_FAILED;
  return code;
}

/* --- as an argument --------------------------------------------------------------------------- */

static gboolean
is_plain (const char *text)
{
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && strchr ("_.:-@+", *text) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
has_control (const char *text)
{
  gboolean any = FALSE;
  for (; *text != '\0'; text++)
    any = any || g_ascii_iscntrl (*text);
  return any;
}

/* As bash, ksh, zsh and busybox read it. */
static char *
quote_on_a_line (const char *text)
{
  GString *out = g_string_new ("$'");
  for (; *text != '\0'; text++)
    if (g_ascii_iscntrl (*text))
      g_string_append_printf (out, "\\%03o", (guint)*text);
    else if (*text == '\'' || *text == '\\')
      g_string_append_printf (out, "\\%c", *text);
    else
      g_string_append_c (out, *text);
  return g_string_free (g_string_append_c (out, '\''), FALSE);
}

char *
item_argument (const char *table, const char *text, gboolean on_a_line)
{
  g_autofree char *item = g_strdup_printf ("%s:%s", table, text);
  if (is_plain (item))
    return g_steal_pointer (&item);
  return on_a_line && has_control (item) ? quote_on_a_line (item) : g_shell_quote (item);
}
