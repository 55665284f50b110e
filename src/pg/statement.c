#include "pg/statement.h"

#include "base/clock.h"
#include "base/resource.h"
#include "pg/quoted.h"

#include <pthread.h>
#include <string.h>

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

/* `:name::type` becomes `$n::type`; comments are not sent. */
static PgStatement *
parse (const char *name, const char *text, GError **error)
{
  g_autoptr (GString) sql = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *p = text; *p != '\0';) {
    const char *end;
    Quoted quoted = quoted_at (text, p, &end, NULL);
    gsize len = *p == ':' ? name_length (p + 1) : 0;
    if (quoted != QUOTED_NOT) {
      if (p[0] != '-' || p[1] != '-')
        g_string_append_len (sql, p, end - p);
      p = end;
    } else if (p[0] == ':' && p[1] == ':') {
      g_string_append (sql, "::");
      p += 2;
    } else if (len > 0) {
      if (strncmp (p + 1 + len, "::", 2) != 0) {
        g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                     "%s: parameter :%.*s has no cast, write :%.*s::type", name, (int)len, p + 1,
                     (int)len, p + 1);
        return NULL;
      }
      g_string_append_printf (sql, "$%u", parameter_index (names, p + 1, len));
      p += 1 + len;
    } else
      g_string_append_c (sql, *p++);
  }
  PgStatement *statement = g_new0 (PgStatement, 1);
  statement->name = g_strdup (name);
  for (gsize i = 0, blank = strspn (sql->str, " \t\r\n"); i < blank; i++)
    statement->lines_before += sql->str[i] == '\n';
  statement->sql = g_strdup (g_strstrip (sql->str));
  statement->n_parameters = names->len;
  g_ptr_array_add (names, NULL);
  statement->parameters = (char **)g_ptr_array_free (g_steal_pointer (&names), FALSE);
  return statement;
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
    g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, statement->sql, -1);
    g_snprintf (statement->on_server, sizeof statement->on_server, "pruned_%.20s", sum);
    g_hash_table_insert (known, statement->name, statement);
    first = statement;
  } else {
    g_strfreev (statement->parameters);
    g_free (statement->name);
    g_free (statement->sql);
    g_free (statement);
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
statement_of_text (const char *name, const char *text, gboolean anew, GError **error)
{
  PgStatement *statement = known_get (name);
  if (statement != NULL)
    return statement;
  statement = parse (name, text, error);
  if (statement == NULL)
    return NULL;
  statement->anew = anew;
  return known_put (statement);
}

const PgStatement *
pg_statement_text (const char *name, const char *text, GError **error)
{
  return statement_of_text (name, text, FALSE, error);
}

const PgStatement *
pg_statement_anew (const char *name, const char *text, GError **error)
{
  return statement_of_text (name, text, TRUE, error);
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

struct _PgValues {
  GHashTable *texts;
};

PgValues *
pg_values_new (void)
{
  PgValues *values = g_new (PgValues, 1);
  values->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return values;
}

void
pg_values_free (PgValues *values)
{
  if (values == NULL)
    return;
  g_hash_table_destroy (values->texts);
  g_free (values);
}

void
pg_values_take (PgValues *values, const char *name, char *text)
{
  g_hash_table_insert (values->texts, g_strdup (name), text);
}

void
pg_values_set (PgValues *values, const char *name, const char *text)
{
  pg_values_take (values, name, g_strdup (text));
}

void
pg_values_int (PgValues *values, const char *name, gint64 number)
{
  pg_values_take (values, name, g_strdup_printf ("%" G_GINT64_FORMAT, number));
}

void
pg_values_time (PgValues *values, const char *name, gint64 us)
{
  pg_values_take (values, name, clock_format (us));
}

const char *
pg_values_get (const PgValues *values, const char *name)
{
  return g_hash_table_lookup (values->texts, name);
}

char *
pg_values_words (const PgValues *values, const PgStatement *statement)
{
  GString *words = g_string_new (NULL);
  for (guint i = 0; i < statement->n_parameters; i++) {
    const char *text = pg_values_get (values, statement->parameters[i]);
    g_string_append_printf (words, "%" G_GSSIZE_FORMAT ":",
                            text != NULL ? (gssize)strlen (text) : -1);
    g_string_append (words, text != NULL ? text : "");
  }
  return g_string_free (words, FALSE);
}

gboolean
pg_values_bind (const PgValues *values, const PgStatement *statement, const char **bound,
                GError **error)
{
  for (guint i = 0; i < statement->n_parameters; i++) {
    gpointer text = NULL;
    if (values == NULL
        || !g_hash_table_lookup_extended (values->texts, statement->parameters[i], NULL, &text)) {
      g_set_error (error, PRUNED_ERROR, PRUNED_RETRY, "%s: nothing is bound to :%s",
                   statement->name, statement->parameters[i]);
      return FALSE;
    }
    bound[i] = text;
  }
  return TRUE;
}
