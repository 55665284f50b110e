#include "cli/check/counts.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_MOST 5

GHashTable *
counts_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
counts_add (GHashTable *counts, const char *name)
{
  gint64 *known = g_hash_table_lookup (counts, name), one = 1;
  if (known != NULL)
    ++*known;
  else
    g_hash_table_insert (counts, g_strdup (name), g_memdup2 (&one, sizeof one));
}

gint64
counts_sum (GHashTable *counts)
{
  gint64 all = 0;
  GHashTableIter iter;
  gpointer n;
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, NULL, &n))
    all += *(gint64 *)n;
  return all;
}

static int
more_first (gconstpointer a, gconstpointer b, gpointer counts)
{
  const char *const *left = a, *const *right = b;
  gint64 n = *(gint64 *)g_hash_table_lookup (counts, *left),
         m = *(gint64 *)g_hash_table_lookup (counts, *right);
  return n != m ? (n < m) - (n > m) : strcmp (*left, *right);
}

char *
counts_list (GHashTable *counts)
{
  guint n;
  g_autofree char **names = (char **)g_hash_table_get_keys_as_array (counts, &n);
  GString *out = g_string_new (NULL);
  qsort_r (names, n, sizeof *names, more_first, counts);
  for (guint i = 0; i < MIN (n, SHOWN_MOST); i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT " %s", i > 0 ? ", " : "",
                            *(gint64 *)g_hash_table_lookup (counts, names[i]), names[i]);
  if (n > SHOWN_MOST)
    g_string_append (out, ", ...");
  return g_string_free (out, FALSE);
}
