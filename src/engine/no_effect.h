/* Says in the log which settings of jobs do not do what they seem to: a schedule that never fires,
 * a job that only plans what others have begun. `pruned doctor` says the same.
 *
 * Threads: main at the start, then the one that reloads.
 */
#pragma once

/* Logs each such setting, unless the last call did. */
void no_effect_say (void);
