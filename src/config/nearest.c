#include "config/nearest.h"
#include <string.h>

#define LONGEST 200

static guint
least (guint a, guint b, guint c)
{
  return MIN (MIN (a, b), c);
}

static gboolean
same (char a, char b)
{
  return g_ascii_tolower (a) == g_ascii_tolower (b);
}

/* The edit distance: insertions, deletions, replacements and swaps of neighbours. Keeps three rows
 * of the table at a time.
 */
static guint
distance (const char *a, const char *b)
{
  guint rows[3][LONGEST + 1];
  guint *before = rows[0], *last = rows[1], *row = rows[2];
  gsize a_len = strnlen (a, LONGEST), b_len = strnlen (b, LONGEST);
  for (gsize j = 0; j <= b_len; j++)
    last[j] = j;
  for (gsize i = 1; i <= a_len; i++) {
    row[0] = i;
    for (gsize j = 1; j <= b_len; j++) {
      row[j] = least (last[j] + 1, row[j - 1] + 1, last[j - 1] + !same (a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same (a[i - 1], b[j - 2]) && same (a[i - 2], b[j - 1]))
        row[j] = MIN (row[j], before[j - 2] + 1);
    }
    guint *spare = before;
    before = last;
    last = row;
    row = spare;
  }
  return last[b_len];
}

/* Near: at most a third of the letters differ, or TEXT is the beginning of NAME. */
static gboolean
is_near (const char *text, const char *name, guint far)
{
  gsize len = strnlen (text, LONGEST);
  return 3 * far <= MAX (len, strnlen (name, LONGEST))
         || g_ascii_strncasecmp (text, name, len) == 0;
}

const char *
nearest_name (const char *text, const char *const *names)
{
  const char *nearest = NULL;
  guint nearest_distance = G_MAXUINT;
  for (; *names != NULL; names++) {
    guint found = distance (text, *names);
    if (found < nearest_distance && is_near (text, *names, found)) {
      nearest = *names;
      nearest_distance = found;
    }
  }
  return nearest;
}

char *
nearest_hint (const char *text, const char *const *names)
{
  const char *meant = nearest_name (text, names);
  return meant != NULL ? g_strdup_printf (", did you mean '%s'?", meant) : g_strdup ("");
}
