/* Says in the log which jobs only plan.
 *
 * Threads: main at the start, then the one that reloads.
 */
#pragma once

/* Once for the same jobs. Without a job it says what one that is added will do. */
void modes_say (void);
