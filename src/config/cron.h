/* Schedules: five fields `minute hour day-of-month month day-of-week` with `*`, lists, ranges,
 * steps
 * (`*` or a range, then /n), names (jan-dec, sun-sat), 7 = Sunday. If both day fields are
 * restricted (do not begin with `*`), a day that fits one of them is enough.
 *
 * Every local minute that fits stands for one instant: one that a clock change skips for the first
 * valid instant after the gap (several merge), one that it repeats for the first of the two.
 *
 * Threads: any; a Cron does not change.
 */
#pragma once
#include <glib.h>

typedef struct _Cron Cron;
void cron_free (Cron *cron);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Cron, cron_free)

/* PRUNED_FATAL: what is wrong with which field. */
Cron *cron_parse (const char *text, GError **error);

/* The first instant strictly after AFTER_US, microseconds since 1970; -1 if there is none (30
 * February). */
gint64 cron_next (const Cron *cron, GTimeZone *zone, gint64 after_us);

/* The zone of a name like UTC or Europe/Berlin. PRUNED_FATAL: not known on this machine. */
GTimeZone *cron_zone (const char *name, GError **error);
