/* Times. An instant is a gint64, microseconds since 1970-01-01 UTC; as text it is RFC 3339. The
 * name of a duration ends with its unit (_us, _ms, _s).
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

/* Wall clock, microseconds since 1970. For messages and logs only: due times come from the
 * database's clock. */
gint64 clock_now_us (void);

/* Monotonic, microseconds. For measuring and for time-outs. */
gint64 clock_monotonic_us (void);

/* "2026-11-21T10:20:30.123456Z", always UTC, always microseconds. g_free it. */
char *clock_format (gint64 us);

/* RFC 3339 with zone (`Z`, `+02:00`), seconds required, up to 6 digits of fraction (further digits
 * are cut off). Years 1970 to 9999. PRUNED_REJECT names the fault. */
gboolean clock_parse (const char *text, gint64 *us, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* For the command line: like clock_parse, but also takes `YYYY-MM-DD` (00:00 UTC) and `-10m`,
 * `-2h`, `-1d`, `-30s` (before NOW_US). PRUNED_REJECT. */
gboolean clock_parse_loose (const char *text, gint64 now_us, gint64 *us, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
