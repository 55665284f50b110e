#include "engine/job/sentence/list.h"

#include <stdarg.h>

void
list_add (GString *out, const char *between, const char *format, ...)
{
  if (out->len > 0)
    g_string_append (out, between);
  va_list arguments;
  va_start (arguments, format);
  g_string_append_vprintf (out, format, arguments);
  va_end (arguments);
}

char *
list_literal (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "'", -1);
  g_autofree char *doubled = g_strjoinv ("''", parts);
  return g_strdup_printf ("'%s'", doubled);
}

char *
list_equal (const char *own, const GPtrArray *columns, const char *other)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++)
    list_add (out, " AND ", "%s.%s %s %s.pruned_%u", own,
              ((const CatColumn *)columns->pdata[i])->quoted,
              catalogue_sign (columns->pdata[i], CAT_EQUAL), other, i + 1);
  return g_string_free (out, FALSE);
}

char *
list_equal_there (const char *own, const CatTable *there, const GPtrArray *columns,
                  const char *other)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++) {
    const CatColumn *column = columns->pdata[i], *one = catalogue_column (there, column->quoted);
    const gboolean alike = g_str_equal (one->type, column->type);
    list_add (out, " AND ", "%s.%s %s %s.pruned_%u", own, one->quoted,
              alike ? catalogue_sign (column, CAT_EQUAL) : "=", other, i + 1);
  }
  return g_string_free (out, FALSE);
}

/* Behind the first I columns, which are equal. */
static char *
compare_from (const GPtrArray *columns, guint i, CatSign sign, const ListValue *values)
{
  const CatColumn *column = columns->pdata[i];
  const char *left = values[i].left, *right = values[i].right;
  if (i + 1 == columns->len)
    return g_strdup_printf ("%s %s %s", left, catalogue_sign (column, sign), right);
  const CatSign strict = sign == CAT_AT_LEAST ? CAT_GREATER : sign == CAT_AT_MOST ? CAT_LESS : sign;
  g_autofree char *rest = compare_from (columns, i + 1, sign, values);
  return g_strdup_printf ("(%s %s %s OR %s %s %s AND %s)", left, catalogue_sign (column, strict),
                          right, left, catalogue_sign (column, CAT_EQUAL), right, rest);
}

/* The operator that all columns of a row are compared with; NULL: it is not the same for all. */
static const char *
common_sign (const GPtrArray *columns, CatSign sign)
{
  const char *common = catalogue_sign (columns->pdata[0], sign);
  for (guint i = 1; i < columns->len; i++)
    if (!g_str_equal (common, catalogue_sign (columns->pdata[i], sign)))
      return NULL;
  return common;
}

char *
list_compare (const GPtrArray *columns, CatSign sign, const ListValue *values)
{
  const char *common = common_sign (columns, sign);
  if (columns->len == 1)
    return compare_from (columns, 0, sign, values);
  if (common != NULL) {
    g_autoptr (GString) left = g_string_new (NULL), right = g_string_new (NULL);
    for (guint i = 0; i < columns->len; i++) {
      list_add (left, ", ", "%s", values[i].left);
      list_add (right, ", ", "%s", values[i].right);
    }
    return g_strdup_printf ("(%s) %s (%s)", left->str, common, right->str);
  }
  const CatSign bound = sign == CAT_GREATER || sign == CAT_AT_LEAST ? CAT_AT_LEAST : CAT_AT_MOST;
  g_autofree char *all = compare_from (columns, 0, sign, values);
  return g_strdup_printf ("%s %s %s AND %s", values[0].left,
                          catalogue_sign (columns->pdata[0], bound), values[0].right, all);
}

static const char *
text_at (const GPtrArray *texts, guint i)
{
  return texts != NULL && i < texts->len ? texts->pdata[i] : NULL;
}

char *
list_refers (const CatKey *key, guint i, const char *child, const char *parent)
{
  const char *cast = text_at (key->casts, i), *collate = text_at (key->collates, i);
  const char *sign = text_at (key->operators, i);
  g_autofree char *from = g_strconcat (child, cast != NULL ? "::" : "", cast, NULL),
                  *to = g_strconcat (parent, collate != NULL ? " COLLATE " : "", collate, NULL);
  return sign != NULL ? g_strdup_printf ("%s %s %s", to, sign, from)
                      : g_strdup_printf ("%s = %s", from, to);
}

char *
list_refers_all (const CatKey *key, const char *own, const char *other)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < key->from->len; i++) {
    g_autofree char *child
        = g_strdup_printf ("%s.%s", own, ((CatColumn *)key->from->pdata[i])->quoted),
        *parent = g_strdup_printf ("%s.pruned_%u", other, i + 1),
        *one = list_refers (key, i, child, parent);
    list_add (out, " AND ", "%s", one);
  }
  return g_string_free (out, FALSE);
}

char *
list_refers_to (const CatKey *key, const char *child, const char *parent)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < key->from->len; i++) {
    g_autofree char *from
        = g_strdup_printf ("%s.%s", child, ((CatColumn *)key->from->pdata[i])->quoted),
        *to = g_strdup_printf ("%s.%s", parent, ((CatColumn *)key->to->pdata[i])->quoted),
        *one = list_refers (key, i, from, to);
    list_add (out, " AND ", "%s", one);
  }
  return g_string_free (out, FALSE);
}

char *
list_named (const char *own, const GPtrArray *columns)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++)
    list_add (out, ", ", "%s.%s AS pruned_%u", own, ((CatColumn *)columns->pdata[i])->quoted,
              i + 1);
  return g_string_free (out, FALSE);
}

static void
append_literal (GString *out, const char *text)
{
  g_string_append_c (out, '\'');
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      g_string_append_c (out, '\'');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '\'');
}

char *
list_member (const CatColumn *column, const char *value)
{
  return g_strdup_printf (column->as_text ? "pg_catalog.format('%%s', %s)" : "%s", value);
}

char *
list_key (const CatTable *table)
{
  if (table->key->len == 0)
    return g_strdup_printf ("pg_catalog.to_jsonb(%s.*)", table->own);
  if (table->key->len == 1)
    return g_strdup_printf ("%s.%s", table->own, ((CatColumn *)table->key->pdata[0])->quoted);
  GString *out = g_string_new ("pg_catalog.jsonb_build_object(");
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_string_append (out, i > 0 ? ", " : "");
    append_literal (out, column->name);
    g_autofree char *value = g_strdup_printf ("%s.%s", table->own, column->quoted),
                    *member = list_member (column, value);
    g_string_append_printf (out, ", %s", member);
  }
  g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}

/* Which values of COLUMN are recorded as texts, since JSON does not have them. */
static char *
odd_of (const CatColumn *column, const char *value)
{
  if (!column->zeros)
    return g_strdup_printf ("pg_catalog.array_dims(%s) ~ '\\[(?!1:)'", value);
  return g_strdup_printf ("(%s)::pg_catalog.text ~ '^\\[|(^|[{,])-0($|[,}])'", value);
}

char *
list_bounded (const CatColumn *column, const char *value)
{
  if (column->loses)
    return g_strdup_printf ("pg_catalog.format('%%s', %s)", value);
  if (!column->bounded && !column->zeros)
    return g_strdup (value);
  g_autofree char *odd = odd_of (column, value);
  return g_strdup_printf ("CASE WHEN %s THEN pg_catalog.to_jsonb((%s)::pg_catalog.text)"
                          " ELSE pg_catalog.to_jsonb(%s) END",
                          odd, value, value);
}

static void
add_text (GString *out, const CatTable *table, const CatColumn *column)
{
  g_string_append (out, " || pg_catalog.jsonb_build_object(");
  append_literal (out, column->name);
  g_string_append_printf (
      out, ", CASE WHEN %s.%s IS DISTINCT FROM NULL THEN pg_catalog.format('%%s', %s.%s) END)",
      table->own, column->quoted, table->own, column->quoted);
}

/* The row of TABLE, with texts of what JSON loses. */
char *
list_whole (const CatTable *table)
{
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "pg_catalog.to_jsonb(%s.*)", table->own);
  for (guint i = 0; i < table->columns->len; i++) {
    const CatColumn *column = table->columns->pdata[i];
    if (column->loses)
      add_text (out, table, column);
    if (column->loses || (!column->bounded && !column->zeros))
      continue;
    g_autofree char *value = g_strdup_printf ("%s.%s", table->own, column->quoted),
                    *odd = odd_of (column, value);
    g_string_append_printf (out, " || CASE WHEN %s THEN pg_catalog.jsonb_build_object(", odd);
    append_literal (out, column->name);
    g_string_append_printf (out, ", %s::pg_catalog.text) ELSE '{}' END", value);
  }
  return g_string_free (out, FALSE);
}

/* The columns of its key as list_whole has them. */
static char *
key_of_row (const CatTable *table)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_autofree char *value = g_strdup_printf ("%s.%s", table->own, column->quoted),
                    *member = list_bounded (column, value);
    g_string_append (out, i > 0 ? ", " : "pg_catalog.jsonb_build_object(");
    append_literal (out, column->name);
    g_string_append_printf (out, ", %s", member);
  }
  g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}

/* Whose row it is stays to be seen (step/effects.c). */
char *
list_row (const CatTable *table, const Sentence *sentence)
{
  g_autofree char *whole = list_whole (table);
  if (!sentence->audit_said || sentence->audit == SENTENCE_AUDIT_FULL || table->key->len == 0)
    return g_steal_pointer (&whole);
  g_autofree char *key = key_of_row (table);
  g_autoptr (GString) name = g_string_new (NULL);
  append_literal (name, table->name);
  return g_strdup_printf (
      "CASE WHEN coalesce(:audit_of::jsonb ->> %s, :audit::text) = 'full' THEN %s ELSE %s END",
      name->str, whole, key);
}
