/* The search_path of transactions. It is found out once in a process (path.sql), so all of its
 * sessions read the same names: what the jobs were checked with when they were loaded.
 *
 * Threads: any.
 */
#pragma once
#include "pg/pg.h"

/* NULL: it is not known yet. g_free it. */
char *path_known (const Pg *pg);
/* A server has said it. What was known first stays. */
void path_note (const Pg *pg, const char *path);
