#include "pg/statement.h"

#include "base/resource.h"
#include "pg/quoted.h"

#include <pthread.h>
#include <string.h>

#define FEW 100 /* a short list has no more elements */
/* What a quotation, a comment, a parameter or a bracket can begin with. */
#define SPECIAL "'\"$-/:()"

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *known; /* name -> PgStatement, never removed */

static guint
parameter_index (GPtrArray *names, const char *name, gsize len)
{
  for (guint i = 0; i < names->len; i++)
    if (strncmp (names->pdata[i], name, len) == 0 && ((char *)names->pdata[i])[len] == '\0')
      return i + 1;
  g_ptr_array_add (names, g_strndup (name, len));
  return names->len;
}

static gsize
name_length (const char *p)
{
  gsize n = 0;
  if (!g_ascii_isalpha (p[0]) && p[0] != '_')
    return 0;
  while (g_ascii_isalnum (p[n]) || p[n] == '_' || p[n] == '.')
    n++;
  return n;
}

/* The length of the type of a cast, if it is a list (`bigint[]`, `app."Kind"[]`); else 0. */
static gsize
list_type_length (const char *type)
{
  gsize n = 0;
  for (const char *end; type[n] != '\0';)
    if (type[n] == '"' && quoted_at (type, type + n, &end, NULL) == QUOTED_NAME)
      n = (gsize)(end - type);
    else if (quoted_is_name_char (type[n]) || type[n] == '.')
      n++;
    else
      break;
  return n > 0 && type[n] == '[' && type[n + 1] == ']' ? n + 2 : 0;
}

typedef struct {
  GString *sql, *few;
  GPtrArray *names;
  GArray *lists;     /* of gboolean */
  int depth, unnest; /* of brackets: how many are open, and at how many those of `unnest` opened */
  gboolean any;
} Parsed;

static gboolean
ends_with_unnest (const GString *sql)
{
  gsize len = sql->len, n = strlen ("unnest");
  while (len > 0 && g_ascii_isspace (sql->str[len - 1]))
    len--;
  return len >= n && g_ascii_strncasecmp (sql->str + len - n, "unnest", n) == 0
         && (len == n || !quoted_is_name_char (sql->str[len - n - 1]));
}

static void
note_bracket (Parsed *parsed, char c)
{
  if (c == '(' && ++parsed->depth > 0 && parsed->unnest == 0 && ends_with_unnest (parsed->sql))
    parsed->unnest = parsed->depth;
  if (c == ')' && parsed->depth-- == parsed->unnest)
    parsed->unnest = 0;
}

static void
append (Parsed *parsed, const char *text, gsize len)
{
  g_string_append_len (parsed->sql, text, (gssize)len);
  g_string_append_len (parsed->few, text, (gssize)len);
}

/* NAME of a parameter and the cast behind it. The cast is appended by the caller. Of a list that is
 * unnested the planner knows only how long it is, and a list of one key looks so cheap that it
 * would plan again each time. It does not look into a subquery. */
static void
append_parameter (Parsed *parsed, const char *name, gsize len)
{
  const char *type = name + len + 2;
  gsize list = parsed->unnest > 0 && parsed->unnest == parsed->depth ? list_type_length (type) : 0;
  guint number = parameter_index (parsed->names, name, len);
  g_string_append_printf (parsed->sql, "$%u", number);
  if (parsed->lists->len < number)
    g_array_set_size (parsed->lists, number);
  if (list == 0) {
    g_string_append_printf (parsed->few, "$%u", number);
    return;
  }
  g_string_append_printf (parsed->few, "(SELECT $%u::%.*s)", number, (int)list, type);
  g_array_index (parsed->lists, gboolean, number - 1) = parsed->any = TRUE;
}

/* `:name::type` becomes `$n::type`; comments are not sent. */
static gboolean
parse_text (Parsed *parsed, const char *name, const char *text, GError **error)
{
  for (const char *p = text; *p != '\0';) {
    const char *end;
    Quoted quoted = quoted_at (text, p, &end, NULL);
    gsize len = *p == ':' ? name_length (p + 1) : 0;
    if (quoted != QUOTED_NOT) {
      if (p[0] != '-' || p[1] != '-')
        append (parsed, p, (gsize)(end - p));
      p = end;
    } else if (p[0] == ':' && p[1] == ':') {
      append (parsed, p, 2);
      p += 2;
    } else if (len > 0) {
      if (strncmp (p + 1 + len, "::", 2) != 0)
        return error_fatal (error, "%s: parameter :%.*s has no cast, write :%.*s::type", name,
                            (int)len, p + 1, (int)len, p + 1);
      append_parameter (parsed, p + 1, len);
      p += 1 + len;
    } else {
      gsize plain = 1 + strcspn (p + 1, SPECIAL);
      note_bracket (parsed, *p);
      append (parsed, p, plain);
      p += plain;
    }
  }
  return TRUE;
}

static PgStatement *
statement_new (const char *name, const char *sql, guint n, char **parameters, gboolean *lists)
{
  PgStatement *statement = g_new0 (PgStatement, 1);
  statement->name = g_strdup (name);
  for (gsize i = 0, blank = strspn (sql, " \t\r\n"); i < blank; i++)
    statement->lines_before += sql[i] == '\n';
  statement->sql = g_strstrip (g_strdup (sql));
  statement->n_parameters = n;
  statement->parameters = parameters;
  statement->lists = lists;
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, statement->sql, -1);
  g_snprintf (statement->on_server, sizeof statement->on_server, "pruned_%.20s", sum);
  return statement;
}

static void
statement_free (PgStatement *statement)
{
  if (statement->few != NULL) {
    g_free (statement->few->name);
    g_free (statement->few->sql);
    g_free (statement->few); /* it shares the rest */
  }
  g_strfreev (statement->parameters);
  g_free (statement->lists);
  g_free (statement->name);
  g_free (statement->sql);
  g_free (statement->changes);
  g_free (statement);
}

#define CHANGES                                                                                    \
  "\\b(DELETE\\s+FROM|INSERT\\s+INTO|MERGE\\s+INTO|(?<!FOR )(?<!KEY )(?<!DO )UPDATE)"              \
  "\\s+(?!pruned\\.)[\\w\"]|^SET\\s+CONSTRAINTS\\b"

/* Whether it runs triggers of the application: it changes rows of other tables than ours, or runs
 * what was deferred. */
static gboolean
runs_triggers (const char *sql)
{
  static gsize made;
  static GRegex *changes;
  if (g_once_init_enter (&made)) {
    changes = g_regex_new (CHANGES, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);
    g_once_init_leave (&made, 1);
  }
  return g_regex_match (changes, sql, 0, NULL);
}

static PgStatement *
parse (const char *name, const char *text, GError **error)
{
  g_autoptr (GString) sql = g_string_new (NULL), few = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) lists = g_array_new (FALSE, TRUE, sizeof (gboolean));
  Parsed parsed = { sql, few, names, lists, 0, 0, FALSE };
  if (!parse_text (&parsed, name, text, error))
    return NULL;
  guint n = names->len;
  g_ptr_array_add (names, NULL);
  char **parameters = (char **)g_ptr_array_free (g_steal_pointer (&names), FALSE);
  gboolean *flags = (gboolean *)(void *)g_array_free (g_steal_pointer (&lists), FALSE);
  PgStatement *statement = statement_new (name, sql->str, n, parameters, flags);
  statement->changes = runs_triggers (statement->sql) ? g_strdup ("") : NULL;
  if (parsed.any)
    statement->few = statement_new (name, few->str, n, parameters, flags);
  return statement;
}

static gboolean
is_short (const char *list)
{
  int commas = 0;
  for (const char *p = list; p != NULL && *p != '\0' && commas < FEW; p++)
    commas += *p == ',';
  return list != NULL && commas < FEW;
}

const PgStatement *
pg_statement_for (const PgStatement *statement, const char *const *bound)
{
  if (statement->few == NULL)
    return statement;
  for (guint i = 0; i < statement->n_parameters; i++)
    if (statement->lists[i] && !is_short (bound[i]))
      return statement;
  return statement->few;
}

static PgStatement *
known_get (const char *name)
{
  pthread_mutex_lock (&known_lock);
  PgStatement *found = known != NULL ? g_hash_table_lookup (known, name) : NULL;
  pthread_mutex_unlock (&known_lock);
  return found;
}

/* Stores STATEMENT. Two threads can have parsed the same text; the first one is kept. */
static PgStatement *
known_put (PgStatement *statement)
{
  pthread_mutex_lock (&known_lock);
  if (known == NULL)
    known = g_hash_table_new (g_str_hash, g_str_equal);
  PgStatement *first = g_hash_table_lookup (known, statement->name);
  if (first == NULL) {
    g_hash_table_insert (known, statement->name, statement);
    first = statement;
  } else {
    statement_free (statement);
  }
  pthread_mutex_unlock (&known_lock);
  return first;
}

const PgStatement *
pg_statement (const char *file)
{
  PgStatement *statement = known_get (file);
  if (statement != NULL)
    return statement;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = resource_sql (file, &error);
  if (text != NULL)
    statement = parse (file, text, &error);
  if (statement == NULL)
    g_error ("%s", error->message);
  return known_put (statement);
}

static const PgStatement *
statement_of_text (const char *name, const char *text, gboolean anew, gboolean reads,
                   GError **error)
{
  PgStatement *statement = known_get (name);
  if (statement != NULL)
    return statement;
  statement = parse (name, text, error);
  if (statement == NULL)
    return NULL;
  statement->anew = anew;
  statement->reads = reads;
  if (statement->few != NULL)
    statement->few->reads = reads;
  return known_put (statement);
}

const PgStatement *
pg_statement_known (const char *name)
{
  return known_get (name);
}

const PgStatement *
pg_statement_text (const char *name, const char *text, GError **error)
{
  return statement_of_text (name, text, FALSE, FALSE, error);
}

const PgStatement *
pg_statement_anew (const char *name, const char *text, GError **error)
{
  return statement_of_text (name, text, TRUE, FALSE, error);
}

const PgStatement *
pg_statement_changing (const char *name, const char *text, const char *table, GError **error)
{
  PgStatement *statement = known_get (name);
  if (statement != NULL)
    return statement;
  statement = parse (name, text, error);
  if (statement == NULL)
    return NULL;
  g_free (statement->changes);
  statement->changes = g_strdup (table);
  return known_put (statement);
}

const char *
pg_statement_table (const PgStatement *statement)
{
  return statement->changes;
}

const PgStatement *
pg_statement_reading (const char *name, const char *text, gboolean anew, GError **error)
{
  return statement_of_text (name, text, anew, TRUE, error);
}

gboolean
pg_statement_wants (const PgStatement *statement, const char *parameter)
{
  return g_strv_contains ((const char *const *)statement->parameters, parameter);
}

const char *const *
pg_statement_parameters (const PgStatement *statement)
{
  return (const char *const *)statement->parameters;
}

const char *
pg_statement_name (const PgStatement *statement)
{
  return statement->name;
}
