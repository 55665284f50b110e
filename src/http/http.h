/* libcurl lives in this folder.
 *
 * Threads: any.
 */
#pragma once

/* For `pruned version`. Static. */
const char *http_library_version (void);
