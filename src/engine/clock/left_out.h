/* Jobs that are not in force though they should be: built-in ones whose tables the database lacked
 * when the process started, and those of the user that were refused. What the database lacked can
 * come back; then the jobs do.
 *
 * Threads: left_out_look of housekeeping; left_out_names: any.
 */
#pragma once
#include "engine/service/service.h"

/* A chore. Has the main thread reload what comes back, and notes which jobs are left out: refused
 * ones that no version in force stands for, and built-in ones that were in force in this database
 * before. With `[run] jobs`, what is not chosen is not left out. */
gboolean left_out_look (Service *service, Pg *pg, GError **error);
/* What the last look has noted; NULL-terminated. g_strfreev it. */
char **left_out_names (void);
/* Before left_out_look is called for the last time, and after it: frees what is noted. */
void left_out_end (void);
