/* Which of the known names somebody may have meant.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

/* The name with the smallest edit distance to TEXT (two letters swapped count once); the first of
 * several; NULL if none is near: more than a third of the letters differ, and it is not the
 * beginning of one. Case is ignored. The result is one of NAMES. */
const char *nearest_name (const char *text, const char *const *names);
