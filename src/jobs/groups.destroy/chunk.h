/* The chunk: the ids of the groups that a stage works on next, in the walk's cursor. The index on
 * traversal_ids always reads a whole hierarchy, so the cursor carries up to 500 of them.
 *
 * Threads: as pruned/job.h. Ownership: g_free texts.
 */
#pragma once
#include "jobs/groups.destroy/walk.h"

#define CHUNK_MOST 500

size_t chunk_size (const Walk *walk);
/* The first N ids, as an array literal. */
char *chunk_array (const Walk *walk, size_t n);
/* Removes the first N ids. */
void chunk_drop (Walk *walk, size_t n);
/* The id NAME of the cursor behind which to continue; "0": from the beginning. */
char *chunk_after (const Walk *walk, const char *name);
/* Loads the next groups that FILE finds, at most MOST; if none is left, the chunk stays empty. */
gboolean chunk_load (Walk *walk, const char *file, gint64 most, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
