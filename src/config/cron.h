/* Schedules: five fields `minute hour day-of-month month day-of-week` with `*`, lists, ranges,
 * steps (`*` or a range, then /n), names (jan-dec, sun-sat), 7 = Sunday. If both day fields are
 * restricted (do not begin with `*`), a day that fits one of them is enough.
 *
 * Every matching local minute gives one instant. A minute that a clock change skips gives the first
 * valid instant after the gap (several of them merge); a repeated minute gives the first of its two
 * instants.
 *
 * Threads: any; a Cron is immutable.
 */
#pragma once
#include <glib.h>

typedef struct _Cron Cron;
void cron_free (Cron *cron);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Cron, cron_free)

/* PRUNED_FATAL names the field and the fault. */
Cron *cron_parse (const char *text, GError **error);

/* The first instant strictly after AFTER_US, microseconds since 1970; -1 if there is none (30
 * February). */
gint64 cron_next (const Cron *cron, GTimeZone *zone, gint64 after_us);

/* Whether NAME is a zone by the rules of POSIX, like UTC+3: it counts west of Greenwich, so that
 * one lies at -03:00. */
gboolean cron_zone_is_posix (const char *name);
/* Whether NAME is an offset alone, like +03:00. It lies east of Greenwich for us, and west of it
 * for PostgreSQL. */
gboolean cron_zone_is_offset (const char *name);
/* The zone called NAME, like UTC, Europe/Berlin or +03:00. PRUNED_FATAL: not known on this machine,
 * or one by the rules of POSIX. */
GTimeZone *cron_zone (const char *name, GError **error);
