#include "engine/view/row/item_private.h"

#include "engine/job/sentence/key_read.h"
#include "engine/job/sentence/sentence_key.h"

#include <string.h>

#define NEITHER "'%s:%s': the key is neither a number nor a text nor a JSON object"
#define NO_ITEM "'%s:%s': expected TABLE:KEY, like members:42"

/* --- a key of several columns, or of none ----------------------------------------------------- */

static const char *
name_at (const ItemKey *key, gsize i)
{
  return json_string_value (json_object_get (json_array_get (key->each, i), "name"));
}

/* Does OBJECT have all columns? One without columns names no row. */
static gboolean
has_all (const json_t *object, const ItemKey *key)
{
  gboolean all = json_object_size (object) > 0;
  for (gsize i = 0; i < json_array_size (key->each); i++)
    all = all && json_object_get (object, name_at (key, i)) != NULL;
  return all;
}

/* Does OBJECT name any other column, or none at all? */
static gboolean
is_strange (json_t *object, const ItemKey *key)
{
  const char *name;
  json_t *value;
  json_object_foreach (object, name, value) {
    gboolean known = FALSE;
    for (gsize i = 0; i < json_array_size (key->each); i++)
      known = known || g_strcmp0 (name, name_at (key, i)) == 0;
    if (!known)
      return TRUE;
  }
  return json_object_size (object) == 0;
}

static ItemEnd
compare_several (const Item *item, gboolean whole, json_t *object, const ItemKey *key,
                 GError **error)
{
  if (*item->text == '\0')
    return item_wrong (error, NO_ITEM, item->table, item->text);
  if (object == NULL && *item->text == '{')
    return item_wrong (error, NEITHER, item->table, item->text);
  if (object == NULL && key->n > 1)
    return item_wrong (error,
                       "the key of %s has the columns %s: write it as %s:{\"column\": value, ...}",
                       item->table, key->columns, item->table);
  if (object != NULL && whole && !has_all (object, key))
    return item_wrong (error, "%s:%s is not one row: the key of %s has the columns %s", item->table,
                       item->text, item->table,
                       *key->columns != '\0' ? key->columns : "of the whole row");
  if (object != NULL && key->n > 1 && is_strange (object, key))
    return item_wrong (error, "%s:%s: the key of %s has the columns %s", item->table, item->text,
                       item->table, key->columns);
  return ITEM_READ;
}

/* --- a key that is a number ------------------------------------------------------------------- */

/* TEXT as JSON writes it, if it is a number as PostgreSQL reads one: ` +007` is 7. g_free it. */
static char *
number_of (const char *text)
{
  g_autofree char *bare = g_strstrip (g_strdup (text));
  const char *sign = *bare == '-' ? "-" : "", *digits = bare + (*bare == '-' || *bare == '+');
  const gsize n = strspn (digits, "0123456789");
  if (n == 0 || digits[n] != '\0')
    return g_strdup (text);
  digits += MIN (strspn (digits, "0"), n - 1);
  return g_strconcat (*digits == '0' ? "" : sign, digits, NULL);
}

/* TEXT is the number, or an object that says what the column is. */
static ItemEnd
take_number (Item *item, gboolean whole, const ItemKey *key, GError **error)
{
  g_autofree char *text = number_of (item->text);
  g_autoptr (json_t) value = json_parse (text, strlen (text), NULL);
  const json_t *number = value;
  if (*item->text == '\0')
    return item_wrong (error, NO_ITEM, item->table, item->text);
  if (json_is_object (value)) {
    if (whole && !has_all (value, key))
      return item_wrong (error, "%s:%s is not one row: the key of %s has the columns %s",
                         item->table, item->text, item->table, key->columns);
    number = json_object_size (value) == 1 ? json_object_get (value, key->columns) : NULL;
    if (!json_is_integer (number) && !json_is_string (number))
      return item_wrong (error, "%s:%s: the key of %s is the column %s: write it as %s:KEY",
                         item->table, item->text, item->table, key->columns, item->table);
  } else if (*item->text == '{')
    return item_wrong (error, NEITHER, item->table, item->text);
  if (!json_is_integer (number))
    return item_wrong (error, "%s: the key of %s (%s) is a number", item->text, item->table,
                       key->columns);
  item->key = json_text (number);
  return ITEM_READ;
}

/* --- what the audit has ----------------------------------------------------------------------- */

/* A key that is a secret is recorded by its hash (src/engine/job/sql/hashed.sql). */
static void
add_hashed (GPtrArray *keys)
{
  const guint n = keys->len;
  for (guint i = 0; i < n; i++) {
    const char *key = keys->pdata[i];
    g_autoptr (json_t) value = json_parse (key, strlen (key), NULL);
    if (!json_is_string (value))
      continue;
    g_autofree char *sum
        = g_compute_checksum_for_string (G_CHECKSUM_SHA256, json_string_value (value), -1);
    g_ptr_array_add (keys, g_strdup_printf ("\"sha256:%s\"", sum));
  }
}

/* The first of KEYS that is recorded, also as a hash; those before N_READ are keys of the table,
 * whether any of them is or not. *KEY: NULL if there is none. */
static gboolean
choose (Item *item, Pg *pg, GPtrArray *keys, guint n_read, char **key, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (PgRows) rows = NULL;
  const guint plain = keys->len;
  *key = n_read > 0 ? g_strdup (keys->pdata[0]) : NULL;
  add_hashed (keys);
  if (keys->len == 0 || (keys->len == 1 && n_read == 1))
    return TRUE;
  pg_values_set (values, "whose", item->table);
  pg_values_set (values, "known", item->known);
  pg_values_take (values, "keys", array_of_texts (keys));
  if (pg_begin_read_only (pg, error) && pg_exec (pg, "SET LOCAL enable_seqscan = off", error))
    rows = pg_run_file (pg, "src/engine/view/row/sql/key_recorded.sql", values, error);
  pg_rollback (pg);
  if (rows != NULL && rows_count (rows) > 0) {
    g_free (*key);
    *key = g_strdup (keys->pdata[rows_int (rows, 0, "n")]);
    if (rows_int (rows, 0, "n") >= plain)
      g_clear_pointer (&item->in_json, g_free); /* rows do not have it */
  }
  return rows != NULL;
}

static char *
text_as_json (const char *text)
{
  g_autoptr (json_t) value = json_string (text);
  return json_text (value);
}

ItemEnd
item_take_recorded (Item *item, Pg *pg, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (json_t) value = json_parse (item->text, strlen (item->text), NULL);
  g_ptr_array_add (keys, text_as_json (item->text));
  if (json_is_integer (value) || json_is_object (value))
    g_ptr_array_add (keys, json_text (value));
  g_free (item->key);
  gboolean ok = choose (item, pg, keys, 0, &item->key, error);
  if (ok && item->key == NULL)
    item->key = g_strdup (keys->pdata[keys->len - 1]);
  return ok ? ITEM_READ : ITEM_FAILED;
}

/* --- the key as its columns read it ----------------------------------------------------------- */

/* What column I reads of VALUE, of ITEM's text with its numbers as they are written. A column of
 * JSON reads the text's own JSON, in which texts are quoted. */
static char *
text_of (const Item *item, const ItemKey *key, gsize i, const json_t *value)
{
  if (json_is_true (json_object_get (json_array_get (key->each, i), "json"))) {
    g_autoptr (json_t) whole = json_parse_exact (item->text, strlen (item->text), NULL);
    return json_text (json_object_get (whole, name_at (key, i)));
  }
  return json_is_string (value) ? g_strdup (json_string_value (value)) : json_text (value);
}

/* The texts of the columns; NULL: OBJECT, which ITEM's text is, does not say them all, or more. */
static char **
parts_of (const Item *item, const json_t *object, const ItemKey *key)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  if (key->n == 0 || json_object_size (object) != (gsize)key->n)
    return NULL;
  for (gsize i = 0; i < (gsize)key->n; i++) {
    const json_t *one = json_object_get (object, name_at (key, i));
    if (one == NULL || json_is_null (one))
      return NULL;
    g_ptr_array_add (parts, text_of (item, key, i, one));
  }
  g_ptr_array_add (parts, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&parts), FALSE);
}

/* Adds the key that PARTS are to KEYS; if they are none, *WHY says why. */
static gboolean
add_read (Item *item, Pg *pg, char **parts, GPtrArray *keys, char **why, GError **error)
{
  g_autoptr (GError) cause = NULL;
  char *key = NULL, *in_json = NULL;
  gboolean ok = pg_begin_read_only (pg, &cause)
                && key_read (pg, item->table, parts, &key, &in_json, &cause);
  pg_rollback (pg);
  g_clear_pointer (&item->in_json, g_free);
  if (key != NULL)
    item->in_json = g_steal_pointer (&in_json);
  g_free (in_json);
  if (!ok && cause->code != PRUNED_REJECT) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return FALSE;
  }
  if (key != NULL)
    g_ptr_array_add (keys, key);
  else if (*why == NULL)
    *why = g_strdup (ok ? KEY_INEXACT : cause->message);
  return TRUE;
}

/* Takes what choose finds among KEYS. WHY: there is none. */
static ItemEnd
take_chosen (Item *item, Pg *pg, GPtrArray *keys, guint n_read, const ItemKey *key, const char *why,
             GError **error)
{
  if (!choose (item, pg, keys, n_read, &item->key, error))
    return ITEM_FAILED;
  if (item->key == NULL)
    return item_wrong (error, "%s: no key of %s (%s): %s", item->text, item->table, key->columns,
                       why);
  return ITEM_READ;
}

/* A key of one column is TEXT as it stands, blanks included. It can also be written as JSON: for a
 * list or a type of several fields, or as an object that names the column. */
static ItemEnd
take_one (Item *item, Pg *pg, json_t *object, const ItemKey *key, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *why = NULL;
  char *literal[] = { item->text, NULL };
  g_auto (GStrv) named = parts_of (item, object, key);
  if (!add_read (item, pg, literal, keys, &why, error)
      || (named != NULL && !add_read (item, pg, named, keys, &why, error)))
    return ITEM_FAILED;
  const guint n_read = keys->len;
  g_autoptr (json_t) value = json_parse_digits (item->text, strlen (item->text), NULL);
  if (n_read == 0 && (json_is_object (value) || json_is_array (value)))
    g_ptr_array_add (keys, g_strdup (item->text));
  return take_chosen (item, pg, keys, n_read, key, why, error);
}

static ItemEnd
take_several (Item *item, Pg *pg, gboolean whole, const json_t *object, const ItemKey *key,
              GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *why = NULL;
  g_auto (GStrv) parts = parts_of (item, object, key);
  item->columns = !whole || key->n > 0;
  if (parts == NULL) {
    item->key = object != NULL ? g_strdup (item->text) : text_as_json (item->text);
    return ITEM_READ;
  }
  if (!add_read (item, pg, parts, keys, &why, error))
    return ITEM_FAILED;
  const guint n_read = keys->len;
  if (n_read == 0)
    g_ptr_array_add (keys, g_strdup (item->text));
  return take_chosen (item, pg, keys, n_read, key, why, error);
}

ItemEnd
item_take_key (Item *item, Pg *pg, gboolean whole, const ItemKey *key, GError **error)
{
  if (key->n == 1 && key->numbers)
    return take_number (item, whole, key, error);
  g_autoptr (json_t) value = json_parse_digits (item->text, strlen (item->text), NULL);
  json_t *object = json_is_object (value) ? value : NULL;
  if (key->n == 1)
    return take_one (item, pg, object, key, error);
  ItemEnd code = compare_several (item, whole, object, key, error);
  return code == ITEM_READ ? take_several (item, pg, whole, object, key, error) : code;
}
