#include "config/hours.h"

#include "base/error.h"
#include "config/cron.h"

#include <string.h>

#define DAY_MIN (24 * 60)

struct _Hours {
  int from, to; /* minutes of the day; FROM > TO: they cross midnight */
  GTimeZone *zone;
};

void
hours_free (Hours *hours)
{
  g_time_zone_unref (hours->zone);
  g_free (hours);
}

/* `HH:MM`; -1: it is none. */
static int
minute_of (const char *text)
{
  if (strlen (text) != 5 || text[2] != ':' || !g_ascii_isdigit (text[0])
      || !g_ascii_isdigit (text[1]) || !g_ascii_isdigit (text[3]) || !g_ascii_isdigit (text[4]))
    return -1;
  int hour = (text[0] - '0') * 10 + text[1] - '0', minute = (text[3] - '0') * 10 + text[4] - '0';
  return minute < 60 && hour * 60 + minute <= DAY_MIN ? hour * 60 + minute : -1;
}

Hours *
hours_parse (const char *text, GTimeZone *zone, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 2);
  g_auto (GStrv) times = g_strsplit (parts[0] != NULL ? parts[0] : "", "-", -1);
  gboolean two = g_strv_length (times) == 2;
  int from = two ? minute_of (times[0]) : -1, to = two ? minute_of (times[1]) : -1;
  if (from >= 0 && to >= 0 && (from == to || to - from == DAY_MIN))
    return error_null (
        error, PRUNED_FATAL,
        "'%s' is no part of a day: write off for no hours, and mode = off for all of them", text);
  if (from < 0 || to < 0 || from == DAY_MIN)
    return error_null (error, PRUNED_FATAL,
                       "'%s' is not valid, expected HH:MM-HH:MM and a time zone, like 07:00-20:00 "
                       "Europe/Berlin, or off",
                       text);
  gboolean named = parts[1] != NULL && *g_strstrip (parts[1]) != '\0';
  GTimeZone *own = named ? cron_zone (parts[1], error) : g_time_zone_ref (zone);
  if (own == NULL)
    return NULL;
  Hours *hours = g_new0 (Hours, 1);
  *hours = (Hours){ from, to, own };
  return hours;
}

static gboolean
is_in (const Hours *hours, gint64 instant_s)
{
  int interval = g_time_zone_find_interval (hours->zone, G_TIME_TYPE_UNIVERSAL, instant_s);
  gint64 local_s = instant_s + g_time_zone_get_offset (hours->zone, interval);
  int minute = (int)(((local_s % 86400 + 86400) % 86400) / 60);
  return hours->from < hours->to ? minute >= hours->from && minute < hours->to
                                 : minute >= hours->from || minute < hours->to;
}

/* Minute by minute, so that no clock change needs a rule of its own. A day has at most 25 hours. */
gint64
hours_end (const Hours *hours, gint64 now_us)
{
  gint64 now_s = now_us / G_USEC_PER_SEC;
  if (!is_in (hours, now_s))
    return -1;
  gint64 end_s = now_s - now_s % 60;
  do
    end_s += 60;
  while (is_in (hours, end_s) && end_s - now_s < 2 * 86400);
  return end_s * G_USEC_PER_SEC;
}
