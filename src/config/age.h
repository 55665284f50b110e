/* An interval as people write it in a setting: `7 days`, `12 hours`, `1 year 6 months`. PostgreSQL
 * reads it as it is.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

/* TEXT is one, and more than nothing. */
gboolean age_is (const char *text);
