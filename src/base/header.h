/* A header of a message: its name and its value's bytes. Threads: any. Ownership: of whoever holds
 * the struct. */
#pragma once
#include <glib.h>

typedef struct {
  char *name;
  char *value; /* NULL: null; else g_malloc'ed, followed by a NUL that does not count */
  gsize value_len;
} MessageHeader;
