#include "engine/job/sentence/words.h"

#include "base/resource.h"

#include <string.h>

Words *
words_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
words_take (Words *words, const char *word, char *text)
{
  g_hash_table_insert (words, g_strdup (word), text);
}

void
words_set (Words *words, const char *word, const char *text)
{
  words_take (words, word, g_strdup (text));
}

char *
words_fill (Words *words, const char *file)
{
  g_autofree char *path = g_strdup_printf ("src/engine/job/sentence/write/%s.sql", file);
  return words_fill_path (words, path);
}

char *
words_fill_path (Words *words, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = resource_sql (path, &error);
  if (text == NULL)
    g_error ("%s", error->message);
  GString *out = g_string_new (NULL);
  for (const char *p = text; *p != '\0';) {
    gsize n = *p == '{' ? strspn (p + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
    if (n == 0 || p[n + 1] != '}') {
      g_string_append_c (out, *p++);
      continue;
    }
    g_autofree char *word = g_strndup (p + 1, n);
    const char *with = g_hash_table_lookup (words, word);
    g_assert (with != NULL);
    g_string_append (out, with);
    p += n + 2;
  }
  return g_string_free (out, FALSE);
}
