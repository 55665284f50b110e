/* Who can change a file that says which rows go. Files and folders of the configuration, and of
 * jobs, are refused if others can.
 *
 * Threads: any.
 */
#pragma once
#include "base/error.h"

/* PRUNED_FATAL with path and remedy if everybody may write the file or folder at PATH, or if it
 * belongs neither to root nor to the user of this process. What is not there, is a device or a
 * FIFO, or lies on a file system that is mounted read-only (a volume of a container) is not judged.
 * Links are followed. */
gboolean trusted_file (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
