/* A GLib key file with the line of each entry. GKeyFile itself knows no lines, and merges
 * duplicates. Sections `[retention ...]`, `[event ...]` and `[erasure ...]` are verbatim: their
 * values have no escapes.
 *
 * Invariant: sections are unique, and keys are unique in their section, but for verbatim ones.
 *
 * Threads: any.
 * Ownership: entries belong to the array.
 */
#pragma once
#include <glib.h>

typedef struct {
  char *section;
  char *key;   /* NULL: the line that opens the section */
  char *value; /* as GKeyFile reads it, or verbatim; without the blanks around it */
  int line;
} KeyFileEntry;

/* The entries in the order of the file. A missing file has none; if MUST_EXIST, it is an error.
 * PRUNED_FATAL: `<path>:<line>: ...`, or others can change it (base/trusted.h). */
GPtrArray *key_file_read (const char *path, gboolean must_exist, GError **error);
/* The same, whoever can change the file: for what decides about no rows. */
GPtrArray *key_file_peek (const char *path, gboolean must_exist, GError **error);

/* The same of TEXT, which PATH names. */
GPtrArray *key_file_parse (const char *path, const char *text, gsize len, GError **error);

/* Whether SECTION is `NAME`, or `NAME` and something behind a blank. */
gboolean key_file_is_section (const char *section, const char *name);
/* Whether the values of SECTION are verbatim. */
gboolean key_file_is_verbatim (const char *section);
