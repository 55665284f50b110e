/* The word for N of something, in texts for people: `1 row waits`, `2 rows wait`.
 *
 * Threads: any. Ownership: the words are those given.
 */
#pragma once
#include <glib.h>

static inline const char *
plural (gint64 n, const char *one, const char *many)
{
  return n == 1 ? one : many;
}
