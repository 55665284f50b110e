/* A GLib key file with the places of what is in it: GKeyFile itself knows no lines, and merges what
 * is given twice.
 *
 * Invariant: no section and no key of a section comes twice.
 *
 * Threads: any.
 * Ownership: entries belong to the array.
 */
#pragma once
#include <glib.h>

typedef struct {
  char *section;
  char *key;   /* NULL: the line that opens the section */
  char *value; /* as GKeyFile reads it, without blanks around it */
  int line;
} KeyFileEntry;

/* The file's entries in its order. A file that does not exist has none, unless it MUST_EXIST.
 * PRUNED_FATAL: `<path>:<line>: ...`. */
GPtrArray *key_file_read (const char *path, gboolean must_exist, GError **error);
