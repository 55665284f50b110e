/* Hours of the day in which a job does nothing: `07:00-20:00 Europe/Berlin`, `22:00-06:00`. The end
 * is not in them; 24:00 is the end of the day. A zone that is left out is that of the job.
 *
 * A local time that a clock change repeats is in them both times, or neither; one that is skipped
 * does not count.
 *
 * Threads: any; Hours are immutable.
 */
#pragma once
#include <glib.h>

typedef struct _Hours Hours;
void hours_free (Hours *hours);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Hours, hours_free)

/* ZONE: used if TEXT names none. PRUNED_FATAL says what is wrong. */
Hours *hours_parse (const char *text, GTimeZone *zone, GError **error);
/* When the hours end that NOW_US is in, microseconds since 1970; -1: it is in none. */
gint64 hours_end (const Hours *hours, gint64 now_us);
