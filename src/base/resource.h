/* Files that are part of the program: the embedded tree (paths as in the repository, such as
 * `src/jobs/members.remove_expired/page.sql`) and, for paths that begin with `/`, the disk.
 *
 * Threads: any. Ownership: g_free / g_strfreev what is returned.
 */
#pragma once
#include "base/error.h"

/* PRUNED_FATAL if it is not there. */
char *resource_text (const char *path, GError **error);
gboolean resource_exists (const char *path);

/* The same with every line `-- include: <path>` replaced by that file (relative to this one's
 * folder). */
char *resource_sql (const char *path, GError **error);

/* Names in a folder, sorted; folders end with `/`. Empty if there is no such folder. */
char **resource_list (const char *folder);
