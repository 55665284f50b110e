#include "config/cron.h"
#include "base/error.h"
#include "base/plural.h"
#include <string.h>
#include <time.h>

#define DAY_S 86400
/* 29 February on a given day of the week can be forty years away. */
#define DAYS_AHEAD (41 * 366)

typedef enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, N_FIELDS } Field;

struct _Cron {
  guint64 fits[N_FIELDS]; /* bit n: the value n */
  gboolean star[N_FIELDS];
};

static const struct {
  const char *name;
  guint min, max;
  const char *words; /* names of three letters each; the first stands for `min` */
} fields[N_FIELDS] = {
  [MINUTE] = { "minute", 0, 59, "" },
  [HOUR] = { "hour", 0, 23, "" },
  [DAY] = { "day of month", 1, 31, "" },
  [MONTH] = { "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
  [WEEKDAY] = { "day of week", 0, 7, "sunmontuewedthufrisat" },
};

void
cron_free (Cron *cron)
{
  g_free (cron);
}

static gboolean
read_value (Field field, const char *text, guint *value)
{
  guint64 number;
  if (g_ascii_string_to_unsigned (text, 10, fields[field].min, fields[field].max, &number, NULL)) {
    *value = number;
    return TRUE;
  }
  if (strlen (text) != 3)
    return FALSE;
  for (const char *word = fields[field].words; *word != '\0'; word += 3)
    if (g_ascii_strncasecmp (word, text, 3) == 0) {
      *value = fields[field].min + (word - fields[field].words) / 3;
      return TRUE;
    }
  return FALSE;
}

/* Reads `*`, `a` or `a-b`. */
static gboolean
read_range (Field field, const char *text, guint *first, guint *last)
{
  *first = fields[field].min;
  *last = field == WEEKDAY ? 6 : fields[field].max;
  if (g_str_equal (text, "*"))
    return TRUE;
  g_auto (GStrv) ends = g_strsplit (text, "-", 2);
  if (ends[0] == NULL || !read_value (field, ends[0], first))
    return FALSE;
  *last = *first;
  if (ends[1] != NULL && !read_value (field, ends[1], last))
    return FALSE;
  if (field == WEEKDAY && *last == 0 && *first > 0)
    *last = 7;
  return *first <= *last;
}

/* Reads one item of a list. A step is only valid after `*` or a range. */
static gboolean
read_item (Field field, const char *text, guint64 *fits)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  guint first, last;
  guint64 step = 1;
  if (parts[0] == NULL || !read_range (field, parts[0], &first, &last))
    return FALSE;
  if (parts[1] != NULL
      && ((parts[0][0] != '*' && strchr (parts[0], '-') == NULL)
          || !g_ascii_string_to_unsigned (parts[1], 10, 1, fields[field].max + 1, &step, NULL)))
    return FALSE;
  for (guint value = first; value <= last; value += step)
    *fits |= G_GUINT64_CONSTANT (1) << (field == WEEKDAY ? value % 7 : value);
  return TRUE;
}

static gboolean
read_field (Cron *cron, Field field, const char *text, GError **error)
{
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (char **item = items; *item != NULL; item++)
    if (!read_item (field, *item, &cron->fits[field]))
      return error_fatal (
          error, "'%s' is not a valid %s (expected %u-%u%s, with * , - and /n after * or a range)",
          *item, fields[field].name, fields[field].min, fields[field].max,
          *fields[field].words != '\0' ? " or names of three letters" : "");
  cron->star[field] = text[0] == '*';
  return TRUE;
}

Cron *
cron_parse (const char *text, GError **error)
{
  g_autoptr (Cron) cron = g_new0 (Cron, 1);
  g_auto (GStrv) parts = g_strsplit_set (text, " \t", -1);
  guint n = 0;
  for (char **part = parts; *part != NULL; part++) {
    if (**part == '\0')
      continue;
    if (n < N_FIELDS && !read_field (cron, n, *part, error)) {
      g_prefix_error (error, "schedule '%s': ", text);
      return NULL;
    }
    n++;
  }
  if (n != N_FIELDS)
    return error_null (error, PRUNED_FATAL,
                       "schedule '%s' has %u %s, expected 5: minute, hour, day of month, month, "
                       "day of week",
                       text, n, plural (n, "field", "fields"));
  return g_steal_pointer (&cron);
}

/* Names of the time zone database that look like it, and mean what they say. */
static const char *const NAMES[]
    = { "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT", "GMT0", "GMT+0", "GMT-0", NULL };

gboolean
cron_zone_is_posix (const char *name)
{
  return g_regex_match_simple ("^:?(<[^>]*>|[A-Za-z]+)[-+]?[0-9]", name, 0, 0)
         && !g_strv_contains (NAMES, name);
}

gboolean
cron_zone_is_offset (const char *name)
{
  return g_regex_match_simple ("^[-+]?[0-9]{1,2}(:?[0-9]{2})*$", name, 0, 0);
}

/* What ZONE, by the rules of POSIX, means now. */
static char *
offset_text (GTimeZone *zone)
{
  const gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  const int interval = g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, now_s),
            minutes = g_time_zone_get_offset (zone, interval) / 60;
  return g_strdup_printf ("%c%02d:%02d", minutes < 0 ? '-' : '+', ABS (minutes) / 60,
                          ABS (minutes) % 60);
}

static void
refuse_posix (const char *name, GError **error)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier (name);
  g_autofree char *means = zone != NULL ? offset_text (zone) : NULL;
  g_set_error (
      error, PRUNED_ERROR, PRUNED_FATAL,
      "time zone '%s' is read by the rules of POSIX, where what is written with + lies "
      "west of Greenwich%s%s: write a name, like Europe/Berlin, or the offset, like +03:00",
      name, means != NULL ? ": it means " : "", means != NULL ? means : "");
}

GTimeZone *
cron_zone (const char *name, GError **error)
{
  if (cron_zone_is_posix (name)) {
    refuse_posix (name, error);
    return NULL;
  }
  GTimeZone *zone = *name != '\0' ? g_time_zone_new_identifier (name) : NULL;
  if (zone == NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "time zone '%s' is not known on this machine (package tzdata has the names, "
                 "tzdata-legacy old ones like EST5EDT)",
                 name);
  return zone;
}

static gint64
offset_at (GTimeZone *zone, gint64 instant_s)
{
  int interval = g_time_zone_find_interval (zone, G_TIME_TYPE_UNIVERSAL, instant_s);
  return g_time_zone_get_offset (zone, interval);
}

/* The first instant after BEFORE_S with another offset than BEFORE_S; AFTER_S has another one. */
static gint64
change_between (GTimeZone *zone, gint64 before_s, gint64 after_s)
{
  gint64 old = offset_at (zone, before_s);
  while (after_s - before_s > 1) {
    gint64 middle = before_s + (after_s - before_s) / 2;
    if (offset_at (zone, middle) == old)
      before_s = middle;
    else
      after_s = middle;
  }
  return after_s;
}

/* The instant of a local time; LOCAL_S counts as if it were UTC. No zone changes twice in two
 * days. */
static gint64
instant_of (GTimeZone *zone, gint64 local_s)
{
  gint64 before = offset_at (zone, local_s - DAY_S), after = offset_at (zone, local_s + DAY_S);
  gint64 by_before = local_s - before, by_after = local_s - after;
  gboolean before_holds = offset_at (zone, by_before) == before;
  gboolean after_holds = offset_at (zone, by_after) == after;
  if (before_holds && after_holds)
    return MIN (by_before, by_after);
  if (before_holds)
    return by_before;
  if (after_holds)
    return by_after;
  return change_between (zone, local_s - DAY_S, local_s + DAY_S);
}

static gboolean
fits (const Cron *cron, Field field, int value)
{
  return (cron->fits[field] >> value & 1) != 0;
}

static gboolean
fits_day (const Cron *cron, gint64 midnight_s)
{
  time_t seconds = midnight_s;
  struct tm tm;
  gmtime_r (&seconds, &tm);
  if (!fits (cron, MONTH, tm.tm_mon + 1))
    return FALSE;
  gboolean day = fits (cron, DAY, tm.tm_mday), weekday = fits (cron, WEEKDAY, tm.tm_wday);
  if (cron->star[DAY] || cron->star[WEEKDAY])
    return day && weekday;
  return day || weekday;
}

/* The first matching instant after AFTER_S in the local hour HOUR_S, or -1. */
static gint64
next_in_hour (const Cron *cron, GTimeZone *zone, gint64 hour_s, gint64 after_s)
{
  if (instant_of (zone, hour_s + 59 * 60) <= after_s)
    return -1;
  for (int minute = 0; minute < 60; minute++) {
    if (!fits (cron, MINUTE, minute))
      continue;
    gint64 instant = instant_of (zone, hour_s + minute * 60);
    if (instant > after_s)
      return instant;
  }
  return -1;
}

static gint64
next_in_day (const Cron *cron, GTimeZone *zone, gint64 midnight_s, gint64 after_s)
{
  for (int hour = 0; hour < 24; hour++) {
    if (!fits (cron, HOUR, hour))
      continue;
    gint64 instant = next_in_hour (cron, zone, midnight_s + hour * 3600, after_s);
    if (instant >= 0)
      return instant;
  }
  return -1;
}

/* Local times and their instants have the same order, so the first match is the earliest. */
gint64
cron_next (const Cron *cron, GTimeZone *zone, gint64 after_us)
{
  gint64 after_s = after_us / G_USEC_PER_SEC - (after_us % G_USEC_PER_SEC < 0);
  gint64 local_s = after_s + offset_at (zone, after_s);
  gint64 midnight_s
      = local_s - local_s % DAY_S
        - DAY_S; /* starts a day early: a clock change at midnight can repeat the end of a day */
  for (int day = 0; day <= DAYS_AHEAD; day++, midnight_s += DAY_S) {
    if (!fits_day (cron, midnight_s))
      continue;
    gint64 instant = next_in_day (cron, zone, midnight_s, after_s);
    if (instant >= 0)
      return instant * G_USEC_PER_SEC;
  }
  return -1;
}
