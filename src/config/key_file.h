/* A GLib key file with the line of each entry. GKeyFile itself knows no lines, and merges
 * duplicates.
 *
 * Invariant: sections are unique, and keys are unique in their section.
 *
 * Threads: any.
 * Ownership: entries belong to the array.
 */
#pragma once
#include <glib.h>

typedef struct {
  char *section;
  char *key;   /* NULL: the line that opens the section */
  char *value; /* as GKeyFile reads it, without the blanks around it */
  int line;
} KeyFileEntry;

/* The entries in the order of the file. A missing file has none; if MUST_EXIST, it is an error.
 * PRUNED_FATAL: `<path>:<line>: ...`. */
GPtrArray *key_file_read (const char *path, gboolean must_exist, GError **error);
