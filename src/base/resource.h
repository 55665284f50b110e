/* Files that the program reads: from the embedded tree (paths as in the repository, such as
 * `src/jobs/members.remove_expired/page.sql`) or, if the path begins with `/`, from the disk.
 *
 * Threads: any. Ownership: the caller frees results with g_free or g_strfreev.
 */
#pragma once
#include "base/error.h"

/* PRUNED_FATAL if the file does not exist, can be changed by others (base/trusted.h), is none (a
 * FIFO, a device) or is no UTF-8 text (with its line); a NUL byte is none. Without the byte order
 * mark. */
char *resource_text (const char *path, GError **error);
/* Something is there that is no regular file, nor a link to one. */
gboolean resource_is_no_file (const char *path);
/* Also what cannot be looked at, and a link to nothing: whoever reads these learns why. */
gboolean resource_exists (const char *path);

/* The same, with every line `-- include: <path>` replaced by that file (relative to the folder of
 * the including file). */
char *resource_sql (const char *path, GError **error);
/* Adds to PATHS, which frees them with g_free, the files that the one at PATH includes itself. */
void resource_includes (const char *path, GHashTable *paths);

/* The names in a folder, sorted by the number that they begin with, then as text; names of folders
 * end with `/`. Empty if the folder does not exist. NULL, PRUNED_FATAL with its path: it cannot be
 * read, or others can change it, which never happens to an embedded one. */
char **resource_list (const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;
