#include "support/catalogue.h"

#include "base/json.h"

#include <string.h>

static gboolean begun;
static GHashTable *columns; /* file -> text */
static char sqlstate[6];

gboolean __real_pg_ensure (Pg *pg, GError **error);
gboolean __wrap_pg_ensure (Pg *pg, GError **error);
GPtrArray *__real_pg_run_each (Pg *pg, const PgStatement *statement, PgValues *const *values,
                               guint n, GError **error);
GPtrArray *__wrap_pg_run_each (Pg *pg, const PgStatement *statement, PgValues *const *values,
                               guint n, GError **error);
char **__real_pg_columns (Pg *pg, const PgStatement *statement, GError **error);
char **__wrap_pg_columns (Pg *pg, const PgStatement *statement, GError **error);
const char *__real_pg_sqlstate (const Pg *pg);
const char *__wrap_pg_sqlstate (const Pg *pg);

void
catalogue_begin (void)
{
  played_begin ();
  g_clear_pointer (&columns, g_hash_table_unref);
  columns = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  sqlstate[0] = '\0';
  begun = TRUE;
}

/* --- tables --- */

static const char *const TYPES[][2] = {
  { "int2", "smallint" },
  { "int4", "integer" },
  { "int8", "bigint" },
  { "bool", "boolean" },
  { "float8", "double precision" },
  { "varchar", "character varying" },
  { "timestamptz", "timestamp with time zone" },
};

/* `character varying(9)` of `varchar(9)`, and the base type in TYPE. */
static char *
declared_of (char *type)
{
  g_autofree char *length = g_strdup (type + strcspn (type, "("));
  type[strcspn (type, "(")] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (TYPES); i++)
    if (g_str_equal (type, TYPES[i][0]))
      return g_strconcat (TYPES[i][1], length, NULL);
  return g_strconcat (type, length, NULL);
}

/* WORD: `id:int8*`. */
static void
add_column (json_t *all, json_t *key, const char *word)
{
  g_auto (GStrv) parts = g_strsplit (word, ":", 2);
  char *type = parts[1], *marks = type + strcspn (type, "*!+^@");
  g_autofree char *marked = g_strdup (marks);
  *marks = '\0';
  g_autofree char *declared = declared_of (type);
  const char *emptied = strchr (marked, '^');
  gboolean of_key = *marked == '*';
  json_array_append_new (all, json_pack ("{s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:s?}", "name",
                                         parts[0], "quoted", parts[0], "type", type, "declared",
                                         declared, "cuts", strchr (declared, '(') != NULL,
                                         "notnull", of_key || *marked == '!', "made",
                                         *marked == '+', "leads", *marked == '@', "emptied",
                                         emptied != NULL ? emptied + 1 : NULL));
  if (of_key)
    json_array_append_new (key, json_string (parts[0]));
}

/* What stands behind `#FLAG=` in WORDS; OTHERWISE: it is not there. */
static const char *
flag_of (char *const *words, const char *flag, const char *otherwise)
{
  g_autofree char *begin = g_strdup_printf ("#%s", flag);
  for (; *words != NULL; words++)
    if (g_str_has_prefix (*words, begin))
      return *words + strlen (begin) + ((*words)[strlen (begin)] == '=');
  return otherwise;
}

static void
add_table (GString *rows, const char *line, guint place)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  gboolean asked = *words[0] != '~';
  const char *name = words[0] + !asked;
  if (g_str_equal (words[1], "-")) {
    g_string_append_printf (rows, "\n-|%s|%u|-|-|-|-|f|f|f|-|f|f|-|f|f|-|-|-", name, place);
    return;
  }
  g_autoptr (json_t) all = json_array (), key = json_array ();
  for (guint i = 2; words[i] != NULL; i++)
    if (*words[i] != '#')
      add_column (all, key, words[i]);
  g_autofree char *columns_text = json_text (all), *key_text = json_text (key);
  g_string_append_printf (
      rows, "\n%s|%s|%d|%s|%s|public.%s|%s|%s|t|%s|%s|%s|%s|%s|%s|%s|%s|%s|%s", name,
      asked ? name : "-", asked ? (int)place : -1, name, name, name, words[1],
      flag_of (words, "hidden", NULL) != NULL ? "t" : "f",
      flag_of (words, "beside", NULL) != NULL ? "t" : "f", flag_of (words, "root", name),
      flag_of (words, "inherited", NULL) != NULL ? "t" : "f",
      flag_of (words, "ours", NULL) != NULL ? "t" : "f", flag_of (words, "catches", "-"),
      flag_of (words, "stirs", NULL) != NULL ? "t" : "f",
      flag_of (words, "answers", NULL) != NULL ? "t" : "f", flag_of (words, "partly", "-"),
      columns_text, key_text);
}

/* --- foreign keys --- */

/* `["a","b"]` of `t(a,b)`, and `t` in REFERENCE. NULLS: as many. */
static char *
columns_of (char *reference, json_t *nulls)
{
  char *open = strchr (reference, '(');
  open[strlen (open) - 1] = '\0';
  *open = '\0';
  g_auto (GStrv) names = g_strsplit (open + 1, ",", -1);
  g_autoptr (json_t) all = json_array ();
  for (guint i = 0; names[i] != NULL; i++) {
    json_array_append_new (all, json_string (names[i]));
    json_array_append_new (nulls, json_null ());
  }
  return json_text (all);
}

static void
add_key (GString *rows, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  const char *const *flags = (const char *const *)words + 3;
  g_autoptr (json_t) nulls = json_array (), more = json_array ();
  g_autofree char *from = columns_of (words[0], nulls), *to = columns_of (words[1], more),
                  *first = g_strndup (from + 2, strcspn (from + 2, "\"")),
                  *alike = json_text (nulls);
  g_string_append_printf (
      rows, "\n%s_%s_fkey|%s|%s|%s|%s|%s|%s|public.|%s|-|%s|%s|%s|%s", words[0], first, words[0],
      words[1], words[2], g_strv_contains (flags, "moves") ? "c" : "a",
      g_strv_contains (flags, "deferrable") ? "t" : "f",
      g_strv_contains (flags, "full") ? "t" : "f", from, to, alike, alike, alike);
}

void
catalogue_answer (const char *tables, const char *keys)
{
  g_autoptr (GString) of_tables = g_string_new (
      "oid|asked|place|name|own|whole|kind|hidden|readable|beside|root|inherited|ours|catches|stirs|answers|partly|columns|key");
  g_autoptr (GString) of_keys = g_string_new (
      "name|child|parent|deltype|updtype|deferrable|full|schema|child_columns|emptied|"
      "parent_columns|casts|collates|operators");
  g_auto (GStrv) lines = g_strsplit (tables, "\n", -1);
  g_auto (GStrv) more = g_strsplit (keys != NULL ? keys : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    add_table (of_tables, lines[i], i + 1);
  for (guint i = 0; more[i] != NULL; i++)
    if (*more[i] != '\0')
      add_key (of_keys, more[i]);
  played_answer ("sentence_tables", of_tables->str);
  played_answer ("sentence_keys", of_keys->str);
}

/* --- what is not run --- */

void
catalogue_columns (const char *file, const char *text)
{
  g_hash_table_insert (columns, g_strdup (file), g_strdup (text));
}

void
catalogue_sqlstate (const char *state)
{
  g_strlcpy (sqlstate, state, sizeof sqlstate);
}

gboolean
__wrap_pg_ensure (Pg *pg, GError **error)
{
  return begun || __real_pg_ensure (pg, error);
}

GPtrArray *
__wrap_pg_run_each (Pg *pg, const PgStatement *statement, PgValues *const *values, guint n,
                    GError **error)
{
  if (!begun)
    return __real_pg_run_each (pg, statement, values, n, error);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
  for (guint i = 0; i < n; i++) {
    PgRows *rows = pg_run_file (pg, pg_statement_name (statement), values[i], error);
    if (rows == NULL)
      return NULL;
    g_ptr_array_add (all, rows);
  }
  return g_steal_pointer (&all);
}

char **
__wrap_pg_columns (Pg *pg, const PgStatement *statement, GError **error)
{
  if (!begun)
    return __real_pg_columns (pg, statement, error);
  const char *name = pg_statement_name (statement);
  g_autofree char *path = g_strndup (name, (gsize)(strstr (name, ".sql") - name)),
                  *file = g_path_get_basename (path);
  const char *text = g_hash_table_lookup (columns, file);
  return g_strsplit (text != NULL ? text : "", " ", -1);
}

const char *
__wrap_pg_sqlstate (const Pg *pg)
{
  return begun ? sqlstate : __real_pg_sqlstate (pg);
}
