/* The live line of `pruned run` on a terminal: rows done, rows per second, runs by state, and the
 * messages left in this process's partitions.
 *
 * Threads: main. Ownership: main.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Progress Progress;
Progress *progress_new (Service *service);
void progress_show (Progress *progress); /* NULL: nothing. At most five times a second. */
void progress_free (Progress *progress); /* leaves the last line on the screen */
