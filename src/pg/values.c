#include "pg/statement.h"

#include "base/clock.h"

#include <string.h>

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
        || !g_hash_table_lookup_extended (values->texts, statement->parameters[i], NULL, &text))
      return error_set (error, PRUNED_RETRY, "%s: nothing is bound to :%s", statement->name,
                        statement->parameters[i]);
    bound[i] = text;
  }
  return TRUE;
}
