#include "engine/job/sentence/sentence_key.h"

#include "engine/job/sentence/list.h"
#include "engine/job/sentence/words.h"

/* Conditions on the text %1$s for types whose input cuts, rounds or passes over some of it. %2$s:
 * the value that was read. Times: what another day would read otherwise is no key, in whatever
 * quotes of lists and ranges, and behind a microsecond there is nothing. So is a day with a month
 * of digits before or behind it: which one is the month? */
#define WHOLE "%2$s::pg_catalog.text = %1$s"
#define NUMBER "%2$s::pg_catalog.text::pg_catalog.numeric = %1$s::pg_catalog.numeric"
#define MONEY                                                                                      \
  "CASE WHEN %1$s ~ '^[-+.0-9]*$' THEN %2$s::pg_catalog.numeric = %1$s::pg_catalog.numeric"        \
  " ELSE " WHOLE " END"
#define STEADY                                                                                     \
  "%1$s !~ '(^|[^0-9:])[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2}'"                                    \
  " AND "                                                                                          \
  "pg_catalog.translate(%1$s, '\"\\', '')"                                                         \
  " !~* '(^|[^a-z])(now|today|tomorrow|yesterday)([^a-z]|$)'"                                      \
  " AND %1$s !~ '[.][0-9]{6}0*[1-9]'"
#define FRACTION "%1$s ~ '[0-9]|infinity' AND " STEADY
#define LOCAL                                                                                      \
  FRACTION " AND %2$s::pg_catalog.timestamp"                                                       \
           " = (%1$s::pg_catalog.timestamptz AT TIME ZONE 'UTC')"
#define DAYS STEADY " AND %1$s !~* ':|[0-9]t|[0-9]\\s+[0-9]'" /* no time of a day to be cut */
#define ZONED(range)                                                                               \
  STEADY " AND %2$s::pg_catalog.text::pg_catalog." range " = %1$s::pg_catalog." range

/* By the names of the catalogue, and of format_type for elements of lists. */
static const struct {
  const char *type, *condition;
} LOSSY[] = { { "\"char\"", WHOLE },
              { "name", WHOLE },
              { "float4", NUMBER },
              { "real", NUMBER },
              { "float8", NUMBER },
              { "double precision", NUMBER },
              { "money", MONEY },
              { "date", LOCAL },
              { "timestamp", LOCAL },
              { "timestamp without time zone", LOCAL },
              { "time", FRACTION },
              { "time without time zone", FRACTION },
              { "timetz", FRACTION },
              { "time with time zone", FRACTION },
              { "timestamptz", FRACTION },
              { "timestamp with time zone", FRACTION },
              { "interval", FRACTION },
              { "daterange", DAYS },
              { "datemultirange", DAYS },
              { "tsrange", ZONED ("tstzrange") },
              { "tsmultirange", ZONED ("tstzmultirange") } };

static const char *
condition_of_type (const char *type)
{
  for (guint i = 0; type != NULL && i < G_N_ELEMENTS (LOSSY); i++)
    if (g_str_equal (LOSSY[i].type, type))
      return LOSSY[i].condition;
  return NULL;
}

static const char *
condition_of (const CatColumn *column)
{
  const char *condition = condition_of_type (column->type);
  return condition == NULL && column->timed ? STEADY : condition;
}

static char *
fill_in (const char *condition, const char *text, const char *value)
{
  g_auto (GStrv) texts = g_strsplit (condition, "%1$s", -1);
  g_autofree char *with_text = g_strjoinv (text, texts);
  g_auto (GStrv) values = g_strsplit (with_text, "%2$s", -1);
  return g_strjoinv (value, values);
}

static char *
literal (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "'", -1);
  g_autofree char *doubled = g_strjoinv ("''", parts);
  return g_strdup_printf ("'%s'", doubled);
}

/* TEXT as a value of COLUMN. Texts that the type would cut are no value of it. */
static char *
value_of (const CatColumn *column, const char *text)
{
  g_autofree char *value = g_strdup_printf ("%s::%s", text, column->type);
  const char *condition = condition_of (column);
  if (g_strcmp0 (condition, WHOLE) != 0)
    return g_steal_pointer (&value);
  g_autofree char *whole = fill_in (condition, text, value);
  return g_strdup_printf ("CASE WHEN %s THEN %s END", whole, value);
}

/* Its text would not say whether it is a string: `"1"` and `1`. */
static gboolean
is_json (const CatColumn *column)
{
  return g_str_equal (column->type, "jsonb");
}

char *
sentence_key_rows_of (const CatTable *table, const char *texts)
{
  GString *out = g_string_new ("(SELECT pruned_u.pruned_key, pruned_u.pruned_pos");
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_autofree char *name = literal (column->name);
    g_autofree char *text = table->key->len == 1
                                ? g_strdup ("pruned_u.pruned_key")
                                : g_strdup_printf ("(pruned_u.pruned_key::pg_catalog.jsonb %s %s)",
                                                   is_json (column) ? "->" : "->>", name);
    g_autofree char *value = value_of (column, text);
    g_string_append_printf (out, ", %s AS pruned_%u", value, i + 1);
  }
  g_string_append_printf (out, " FROM %s AS pruned_u (pruned_key, pruned_pos)) AS pruned_k", texts);
  return g_string_free (out, FALSE);
}

char *
sentence_key_rows (const CatTable *table, const char *parameter)
{
  g_autofree char *texts
      = g_strdup_printf ("pg_catalog.unnest(:%s::text[]) WITH ORDINALITY", parameter);
  return sentence_key_rows_of (table, texts);
}

char *
sentence_key_parameter (guint column)
{
  return g_strdup_printf ("parts_%u", column + 1);
}

char *
sentence_key_parts (const CatTable *table)
{
  GString *lists = g_string_new (NULL), *names = g_string_new (NULL);
  for (guint i = 0; i < table->key->len; i++) {
    g_autofree char *parameter = sentence_key_parameter (i);
    list_add (lists, ", ", "pg_catalog.unnest(:%s::text[])", parameter);
    list_add (names, ", ", "pruned_%u", i + 1);
  }
  g_autofree char *from = g_string_free (lists, FALSE), *columns = g_string_free (names, FALSE);
  return g_strdup_printf ("ROWS FROM (%s) WITH ORDINALITY AS pruned_p (%s, pruned_pos)", from,
                          columns);
}

char *
sentence_key_written (const CatTable *table)
{
  GString *out = g_string_new (NULL);
  gboolean several = table->key->len > 1;
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_autofree char *name = literal (column->name);
    g_autofree char *value = g_strdup_printf ("pruned_p.pruned_%u::%s", i + 1, column->declared),
                    *member = several ? list_member (column, value) : g_strdup (value);
    list_add (out, ", ", "%s%s%s", several ? name : "", several ? ", " : "", member);
  }
  g_autofree char *list = g_string_free (out, FALSE);
  return several ? g_strdup_printf ("pg_catalog.jsonb_build_object(%s)", list)
                 : g_steal_pointer (&list);
}

char *
sentence_key_in_json (const CatTable *table)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; table->key->len > 1 && i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_autofree char *name = literal (column->name);
    g_autofree char *value = g_strdup_printf ("pruned_p.pruned_%u::%s", i + 1, column->declared),
                    *member = list_bounded (column, value);
    list_add (out, ", ", "%s, %s", name, member);
  }
  g_autofree char *list = g_string_free (out, FALSE);
  return *list != '\0' ? g_strdup_printf ("pg_catalog.jsonb_build_object(%s)", list)
                       : g_strdup ("NULL");
}

/* The condition for each element of the list TEXT. */
static char *
are_exact (const CatColumn *column, const char *text)
{
  static const char one[] = "pruned_e.pruned_1";
  g_autofree char *value = g_strdup_printf ("%s::%s", one, column->element),
                  *condition = fill_in (condition_of_type (column->element), one, value);
  return g_strdup_printf ("coalesce((SELECT pg_catalog.bool_and(%s)"
                          " FROM pg_catalog.unnest(%s::pg_catalog.text[]) AS pruned_e (pruned_1)),"
                          " true)",
                          condition, text);
}

/* That nothing of TEXT was lost on its way to VALUE. NULL: nothing can be. */
static char *
is_exact (const CatColumn *column, const char *text, const char *value)
{
  if (condition_of_type (column->element) != NULL)
    return are_exact (column, text);
  const char *condition = condition_of (column);
  return condition != NULL ? fill_in (condition, text, value) : NULL;
}

char *
sentence_key_is_exact (const CatTable *table)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    g_autofree char *text = g_strdup_printf ("pruned_p.pruned_%u", i + 1);
    g_autofree char *value = g_strdup_printf ("%s::%s", text, column->type);
    list_add (out, " AND ", "%s %s %s::%s::%s", value, catalogue_sign (column, CAT_EQUAL), text,
              column->declared, column->type);
    g_autofree char *condition = is_exact (column, text, value);
    if (condition != NULL)
      list_add (out, " AND ", "%s", condition);
  }
  return g_string_free (out, FALSE);
}

gboolean
sentence_key_has_several_texts (const CatTable *table)
{
  gboolean several = FALSE;
  for (guint i = 0; i < table->key->len; i++)
    several = several || ((const CatColumn *)table->key->pdata[i])->several;
  return several;
}

char *
sentence_key_matches (const CatTable *table)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < table->key->len; i++) {
    const CatColumn *column = table->key->pdata[i];
    list_add (out, " AND ", "%s.%s %s pruned_p.pruned_%u::%s", table->own, column->quoted,
              catalogue_sign (column, CAT_EQUAL), i + 1, column->type);
  }
  return g_string_free (out, FALSE);
}
