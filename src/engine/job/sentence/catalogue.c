#include "engine/job/sentence/catalogue.h"

#include "base/json.h"
#include "engine/job/sentence/behind.h"
#include "engine/job/sentence/calls.h"
#include "engine/job/sentence/hidden.h"
#include "engine/job/sentence/sql_text.h"

#include <string.h>

#define SQL "src/engine/job/sentence/sql/"

static void
column_free (gpointer data)
{
  CatColumn *column = data;
  g_free (column->name);
  g_free (column->quoted);
  g_free (column->type);
  g_free (column->declared);
  g_free (column->emptied);
  g_free (column->element);
  g_free (column->collation);
  for (guint i = 0; i < CAT_SIGNS; i++)
    g_free (column->signs[i]);
  g_free (column);
}

static void
table_free (gpointer data)
{
  CatTable *table = data;
  g_free (table->oid);
  g_free (table->asked);
  g_free (table->name);
  g_free (table->own);
  g_free (table->whole);
  g_free (table->root);
  g_free (table->partly);
  g_free (table->catches);
  g_ptr_array_unref (table->columns);
  g_ptr_array_unref (table->key);
  g_free (table);
}

void
catalogue_key_free (gpointer data)
{
  CatKey *key = data;
  g_free (key->name);
  g_ptr_array_unref (key->from);
  g_ptr_array_unref (key->to);
  g_clear_pointer (&key->casts, g_ptr_array_unref);
  g_clear_pointer (&key->collates, g_ptr_array_unref);
  g_clear_pointer (&key->operators, g_ptr_array_unref);
  g_ptr_array_unref (key->emptied);
  g_ptr_array_unref (key->loosens);
  g_free (key);
}

void
catalogue_free (Catalogue *catalogue)
{
  if (catalogue == NULL)
    return;
  g_clear_pointer (&catalogue->keys, g_ptr_array_unref);
  g_clear_pointer (&catalogue->tables, g_ptr_array_unref);
  g_free (catalogue->changes);
  g_free (catalogue->set_changes);
  g_free (catalogue->unless_changes);
  g_free (catalogue->hidden);
  g_free (catalogue);
}

static const CatTable *
table_by_oid (const Catalogue *catalogue, const char *oid)
{
  for (guint i = 0; i < catalogue->tables->len; i++)
    if (g_strcmp0 (((CatTable *)catalogue->tables->pdata[i])->oid, oid) == 0)
      return catalogue->tables->pdata[i];
  return NULL;
}

/* A table that is named twice counts as its first mention. */
const CatTable *
catalogue_asked (const Catalogue *catalogue, const char *name)
{
  for (guint i = 0; i < catalogue->tables->len; i++) {
    const CatTable *table = catalogue->tables->pdata[i];
    if (g_strcmp0 (table->asked, name) == 0)
      return table->oid != NULL ? table_by_oid (catalogue, table->oid) : table;
  }
  return NULL;
}

static json_t *
parsed (const PgRows *rows, int row, const char *column)
{
  const char *text = rows_text (rows, row, column);
  return text != NULL ? json_parse (text, strlen (text), NULL) : json_array ();
}

/* NAMES: a JSON array. */
static GPtrArray *
columns_of (const CatTable *table, const json_t *names)
{
  GPtrArray *columns = g_ptr_array_new ();
  for (gsize i = 0; i < json_array_size (names); i++)
    g_ptr_array_add (columns, (gpointer)catalogue_column_plain (
                                  table, json_string_value (json_array_get (names, i))));
  return columns;
}

/* NAMES: a JSON array, in which null is NULL. */
static GPtrArray *
texts_of (const json_t *names)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < json_array_size (names); i++)
    g_ptr_array_add (texts, g_strdup (json_string_value (json_array_get (names, i))));
  return texts;
}

static CatColumn *
column_new (const json_t *one)
{
  CatColumn *column = g_new0 (CatColumn, 1);
  column->name = g_strdup (json_string_value (json_object_get (one, "name")));
  column->quoted = g_strdup (json_string_value (json_object_get (one, "quoted")));
  column->type = g_strdup (json_string_value (json_object_get (one, "type")));
  column->declared = g_strdup (json_string_value (json_object_get (one, "declared")));
  column->emptied = g_strdup (json_string_value (json_object_get (one, "emptied")));
  column->collation = g_strdup (json_string_value (json_object_get (one, "collation")));
  column->notnull = json_is_true (json_object_get (one, "notnull"));
  column->made = json_is_true (json_object_get (one, "made"));
  column->leads = json_is_true (json_object_get (one, "leads"));
  column->cuts = json_is_true (json_object_get (one, "cuts"));
  column->several = json_is_true (json_object_get (one, "several"));
  column->as_text = json_is_true (json_object_get (one, "as_text"));
  column->element = g_strdup (json_string_value (json_object_get (one, "element")));
  column->loses = json_is_true (json_object_get (one, "loses"));
  column->bounded = json_is_true (json_object_get (one, "bounded"));
  column->zeros = json_is_true (json_object_get (one, "zeros"));
  column->timed = json_is_true (json_object_get (one, "timed"));
  const json_t *signs = json_object_get (one, "signs");
  for (guint i = 0; i < CAT_SIGNS; i++)
    column->signs[i] = g_strdup (json_string_value (json_array_get (signs, i)));
  return column;
}

static CatTable *
table_new (const PgRows *rows, int row)
{
  CatTable *table = g_new0 (CatTable, 1);
  table->columns = g_ptr_array_new_with_free_func (column_free);
  table->oid = g_strdup (rows_text (rows, row, "oid"));
  table->asked = g_strdup (rows_text (rows, row, "asked"));
  table->name = g_strdup (rows_text (rows, row, "name"));
  table->own = g_strdup (rows_text (rows, row, "own"));
  table->whole = g_strdup (rows_text (rows, row, "whole"));
  table->kind = rows_text (rows, row, "kind") != NULL ? *rows_text (rows, row, "kind") : '\0';
  table->hidden = rows_bool (rows, row, "hidden");
  table->readable = rows_bool (rows, row, "readable");
  table->beside = rows_bool (rows, row, "beside");
  table->inherited = rows_bool (rows, row, "inherited");
  table->ours = rows_bool (rows, row, "ours");
  table->root = g_strdup (rows_text (rows, row, "root"));
  table->catches = g_strdup (rows_text (rows, row, "catches"));
  table->stirs = rows_bool (rows, row, "stirs");
  table->answers = rows_bool (rows, row, "answers");
  table->partly = g_strdup (rows_text (rows, row, "partly"));
  g_autoptr (json_t) columns = parsed (rows, row, "columns"), key = parsed (rows, row, "key");
  for (gsize i = 0; i < json_array_size (columns); i++)
    g_ptr_array_add (table->columns, column_new (json_array_get (columns, i)));
  table->key = columns_of (table, key);
  return table;
}

/* A foreign key refers to nothing if one of its columns is NULL; with MATCH FULL, if all are. */
static GPtrArray *
columns_that_loosen (const GPtrArray *from, gboolean all)
{
  GPtrArray *columns = g_ptr_array_new ();
  for (guint i = 0; i < from->len; i++)
    if (!((CatColumn *)from->pdata[i])->notnull)
      g_ptr_array_add (columns, from->pdata[i]);
  if (all && columns->len < from->len)
    g_ptr_array_set_size (columns, 0);
  return columns;
}

/* Whether the columns had these names when the tables were read. */
static gboolean
are_known (GPtrArray *columns)
{
  return !g_ptr_array_find (columns, NULL, NULL);
}

/* NULL: one of its columns was renamed or added after the tables were read. */
static CatKey *
key_new (const Catalogue *catalogue, const PgRows *rows, int row)
{
  CatKey *key = g_new0 (CatKey, 1);
  g_autoptr (json_t) from = parsed (rows, row, "child_columns"),
                     to = parsed (rows, row, "parent_columns"), casts = parsed (rows, row, "casts"),
                     collates = parsed (rows, row, "collates"),
                     operators = parsed (rows, row, "operators");
  key->name = g_strconcat (rows_text (rows, row, "schema"), rows_text (rows, row, "name"), NULL);
  key->child = table_by_oid (catalogue, rows_text (rows, row, "child"));
  key->parent = table_by_oid (catalogue, rows_text (rows, row, "parent"));
  key->from = columns_of (key->child, from);
  key->to = columns_of (key->parent, to);
  key->casts = texts_of (casts);
  key->collates = texts_of (collates);
  key->operators = texts_of (operators);
  gboolean some = rows_text (rows, row, "emptied") != NULL;
  g_autoptr (json_t) emptied = parsed (rows, row, "emptied");
  key->emptied = some ? columns_of (key->child, emptied) : g_ptr_array_ref (key->from);
  key->deltype = *rows_text (rows, row, "deltype");
  key->updtype = *rows_text (rows, row, "updtype");
  key->deferrable = rows_bool (rows, row, "deferrable");
  if (are_known (key->from) && are_known (key->to) && are_known (key->emptied)) {
    key->loosens = columns_that_loosen (key->from, rows_bool (rows, row, "full"));
    return key;
  }
  key->loosens = g_ptr_array_new ();
  catalogue_key_free (key);
  return NULL;
}

static PgValues *
tables_wanted (const Sentence *sentence)
{
  GString *names = array_new ();
  array_add (names, sentence->table);
  for (guint i = 0; sentence->children != NULL && i < sentence->children->len; i++)
    array_add (names, ((SentenceChild *)sentence->children->pdata[i])->table);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "tables", array_take (names));
  pg_values_set (values, "auto", sentence->children_auto ? "true" : "false");
  pg_values_set (values, "set", sentence->kind == SENTENCE_SET ? "true" : "false");
  pg_values_set (values, "archive", sentence->archive);
  return values;
}

static PgValues *
keys_wanted (const Catalogue *catalogue)
{
  GString *oids = array_new ();
  for (guint i = 0; i < catalogue->tables->len; i++)
    if (((CatTable *)catalogue->tables->pdata[i])->oid != NULL)
      array_add (oids, ((CatTable *)catalogue->tables->pdata[i])->oid);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "oids", array_take (oids));
  return values;
}

static Catalogue *
of_tables (const PgRows *rows)
{
  Catalogue *catalogue = g_new0 (Catalogue, 1);
  catalogue->tables = g_ptr_array_new_with_free_func (table_free);
  catalogue->keys = g_ptr_array_new_with_free_func (catalogue_key_free);
  for (int i = 0; i < rows_count (rows); i++) {
    gboolean own = rows_int (rows, i, "place") == 1;
    g_ptr_array_insert (catalogue->tables, own ? 0 : -1, table_new (rows, i));
  }
  return catalogue;
}

static void
add_keys (Catalogue *catalogue, const PgRows *rows)
{
  for (int i = 0; i < rows_count (rows); i++) {
    CatKey *key = key_new (catalogue, rows, i);
    if (key != NULL)
      g_ptr_array_add (catalogue->keys, key);
    else
      catalogue->torn = TRUE;
  }
}

static GPtrArray *
ask_each (Pg *pg, const char *file, const GPtrArray *values, GError **error)
{
  return pg_run_each (pg, pg_statement (file), (PgValues *const *)values->pdata, values->len,
                      error);
}

GPtrArray *
catalogue_read_each (Pg *pg, const Sentence *const *sentences, guint n, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)catalogue_free),
                        wanted = g_ptr_array_new_with_free_func ((GDestroyNotify)pg_values_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (wanted, tables_wanted (sentences[i]));
  g_autoptr (GPtrArray) tables = ask_each (pg, SQL "sentence_tables.sql", wanted, error);
  if (tables == NULL)
    return NULL;
  g_ptr_array_set_size (wanted, 0);
  for (guint i = 0; i < n; i++) {
    g_ptr_array_add (all, of_tables (tables->pdata[i]));
    g_ptr_array_add (wanted, keys_wanted (all->pdata[i]));
  }
  g_autoptr (GPtrArray) keys = ask_each (pg, SQL "sentence_keys.sql", wanted, error);
  for (guint i = 0; keys != NULL && i < n; i++)
    add_keys (all->pdata[i], keys->pdata[i]);
  return keys != NULL && calls_read_each (pg, sentences, all, error)
                 && hidden_read_each (pg, sentences, all, error)
                 && behind_read_each (pg, sentences, all, error)
             ? g_steal_pointer (&all)
             : NULL;
}

Catalogue *
catalogue_read (Pg *pg, const Sentence *sentence, GError **error)
{
  g_autoptr (GPtrArray) all = catalogue_read_each (pg, &sentence, 1, error);
  if (all == NULL || !((Catalogue *)all->pdata[0])->torn)
    return all != NULL ? g_ptr_array_steal_index (all, 0) : NULL;
  return error_null (error, PRUNED_BUSY, CATALOGUE_TORN, sentence->name);
}
