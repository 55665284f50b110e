/* A message header: its name and the bytes of its value.
 *
 * Threads: any. Ownership: the holder of the struct owns both.
 */
#pragma once
#include <glib.h>

typedef struct {
  char *name;
  char
      *value; /* NULL: null; else g_malloc'ed, with a NUL behind it that value_len does not count */
  gsize value_len;
} MessageHeader;
