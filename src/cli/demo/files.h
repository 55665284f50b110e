/* The files of the demo's local store: one for each object that a row names, without a few that are
 * missing on purpose.
 *
 * Threads: main only.
 */
#pragma once
#include "pg/rows.h"

/* Creates a file below ROOT for each row of PATHS (column `path`). */
gboolean files_make (const char *root, const PgRows *paths, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The number of files below ROOT. */
guint files_count (const char *root);
