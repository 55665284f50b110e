/* How what `pruned status --watch` shows has gone since the command began: a small bar for each
 * look.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* Notes FOUND, the object that --json prints, and says the line from the second look on. */
void status_trend_say (Output *out, const json_t *found);
/* `▁▃█` of N values; one below 0 is not known, and a blank. The highest is full, 0 is the lowest.
 * g_free it. */
char *status_trend_bars (const double *values, guint n);
