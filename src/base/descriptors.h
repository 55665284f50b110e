/* The standard descriptors: whoever starts a program may have closed them (`2>&-`).
 *
 * Threads: main, before any other.
 */
#pragma once
#include <glib.h>

/* Opens /dev/null for those of 0, 1 and 2 that are closed: else the next file or connection gets
 * the number, and what is printed goes into it. FALSE: it cannot be opened. */
gboolean descriptors_fill (void) G_GNUC_WARN_UNUSED_RESULT;
