/* The sections `[retention NAME]`, `[event NAME]` and `[erasure NAME]`, as written, of the
 * configuration file and of the files *.conf in [run] jobs_dir.
 *
 * Threads: main, when it loads jobs. Ownership: a Section belongs to its array.
 */
#pragma once
#include "base/error.h"
#include "config/key_file.h"

typedef struct {
  char *name; /* of `[retention]` that of the file; "" if nothing says it */
  char *path;
  int line;
  gboolean is_event;   /* it says which messages are meant: an [event], or */
  gboolean is_erasure; /* an [erasure], which is a job, too */
  GPtrArray *file;     /* of KeyFileEntry; those of the section: from FIRST on */
  guint first, n;
  char *broken; /* why its file cannot be read, with the place; NULL: it can */
} Section;

GPtrArray *sections_new (void); /* of Section */

/* Adds the sections of PATH, the configuration file, whose other sections are not looked at. */
gboolean sections_of_config (GPtrArray *sections, const char *path, gboolean must_exist,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Adds those of PATH, a file of [run] jobs_dir. If it cannot be read, they are `broken`; none, if
 * it was removed after its folder was listed. */
void sections_of_file (GPtrArray *sections, const char *path);

const KeyFileEntry *section_entry (const Section *section, guint i);
/* NULL: SECTION has no KEY. */
const KeyFileEntry *section_find (const Section *section, const char *key);

/* Sets PRUNED_FATAL `<path>:<line>: ...`, the line that of ENTRY, or of the section if it is NULL.
 * Returns FALSE. */
gboolean section_fail (const Section *section, const KeyFileEntry *entry, GError **error,
                       const char *format, ...) G_GNUC_PRINTF (4, 5);
