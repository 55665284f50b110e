#include "pg/kept.h"

#include "pg/pg_private.h"
#include "pg/statement.h"

struct _Kept {
  GHashTable *entries; /* name -> Entry */
};

typedef struct {
  char *stamp;
  PgRows *rows;
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  rows_free (entry->rows);
  g_free (entry->stamp);
  g_free (entry);
}

Kept *
kept_new (void)
{
  Kept *kept = g_new (Kept, 1);
  kept->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, entry_free);
  return kept;
}

void
kept_free (Kept *kept)
{
  g_hash_table_destroy (kept->entries);
  g_free (kept);
}

void
kept_clear (Kept *kept)
{
  g_hash_table_remove_all (kept->entries);
}

/* NULL: there are none under NAME, or their stamp is another. */
static const PgRows *
kept_get (const Kept *kept, const char *name, const char *stamp)
{
  const Entry *entry = g_hash_table_lookup (kept->entries, name);
  return entry != NULL && g_str_equal (entry->stamp, stamp) ? entry->rows : NULL;
}

/* ROWS are taken; they replace those that NAME had. */
static const PgRows *
kept_put (Kept *kept, const char *name, const char *stamp, PgRows *rows)
{
  Entry *entry = g_new (Entry, 1);
  entry->stamp = g_strdup (stamp);
  entry->rows = rows;
  g_hash_table_insert (kept->entries, g_strdup (name), entry);
  return rows;
}

/* A name for the statement and all that is bound to it. */
static char *
name_with_values (const PgStatement *statement, const char *const *bound)
{
  GString *name = g_string_new (statement->name);
  for (guint i = 0; i < statement->n_parameters; i++)
    g_string_append_printf (name, "%c%s", bound[i] != NULL ? '\x1f' : '\x1e',
                            bound[i] != NULL ? bound[i] : "");
  return g_string_free (name, FALSE);
}

const PgRows *
pg_run_kept (Pg *pg, const PgStatement *statement, const PgValues *values, const char *stamp,
             GError **error)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_values_bind (values, statement, bound, error))
    return NULL;
  g_autofree char *name = name_with_values (statement, bound);
  const PgRows *known = kept_get (pg->kept, name, stamp);
  if (known != NULL)
    return known;
  PgRows *rows = pg_run (pg, statement, values, error);
  return rows != NULL ? kept_put (pg->kept, name, stamp, rows) : NULL;
}
