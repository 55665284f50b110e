#include "pg/kept.h"

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

const PgRows *
kept_get (const Kept *kept, const char *name, const char *stamp)
{
  const Entry *entry = g_hash_table_lookup (kept->entries, name);
  return entry != NULL && g_str_equal (entry->stamp, stamp) ? entry->rows : NULL;
}

const PgRows *
kept_put (Kept *kept, const char *name, const char *stamp, PgRows *rows)
{
  Entry *entry = g_new (Entry, 1);
  entry->stamp = g_strdup (stamp);
  entry->rows = rows;
  g_hash_table_insert (kept->entries, g_strdup (name), entry);
  return rows;
}
