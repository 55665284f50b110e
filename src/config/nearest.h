/* Guesses which known name an unknown one was meant to be.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

/* The name with the smallest edit distance to TEXT (a swap of two letters counts once), the first
 * of several. NULL if none is near: more than a third of the letters differ, and TEXT is the
 * beginning of no name. Case is ignored. The result is one of NAMES. */
const char *nearest_name (const char *text, const char *const *names);
/* `, did you mean 'NAME'?` of that one; "": none is near. g_free it. */
char *nearest_hint (const char *text, const char *const *names);
