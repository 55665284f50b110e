/* The files of the demo's local store: each object that a row names has one, but for a few that
 * somebody else removed.
 *
 * Threads: main only.
 */
#pragma once
#include "pg/rows.h"

/* PATHS below ROOT, column `path`. */
gboolean files_make (const char *root, const PgRows *paths, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* How many are there. */
guint files_count (const char *root);
