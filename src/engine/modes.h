/* Says in the log which jobs only plan.
 *
 * Threads: main at the start, then the one that reloads.
 */
#pragma once

/* Logs the jobs that only plan, unless they are those of the last call. If there is no job, it logs
 * what one that is added will do. */
void modes_say (void);
