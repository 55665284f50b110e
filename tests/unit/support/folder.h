/* Folders that a test makes.
 *
 * Threads: the test's own. Ownership: none.
 */
#pragma once
#include <glib.h>

/* Removes PATH with all that it holds; what is not there is removed already. */
void folder_remove (const char *path);
