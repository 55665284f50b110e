#include "base/clock.h"
#include "base/digits.h"
#include "base/error.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LATEST_US (G_GINT64_CONSTANT (253402300799) * G_USEC_PER_SEC + 999999) /* end of 9999 */

gint64
clock_now_us (void)
{
  return g_get_real_time ();
}

gint64
clock_monotonic_us (void)
{
  return g_get_monotonic_time ();
}

char *
clock_format (gint64 us)
{
  gint64 fraction = us % G_USEC_PER_SEC;
  if (fraction < 0)
    fraction += G_USEC_PER_SEC;
  time_t seconds = (us - fraction) / G_USEC_PER_SEC;
  struct tm tm;
  gmtime_r (&seconds, &tm);
  if (us < 0 || us > LATEST_US)
    return g_strdup_printf ("%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                            tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)fraction);
  const int parts[] = { tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec };
  char text[] = "yyyy-mm-ddThh:mm:ss.uuuuuuZ", *at = digits_put (text, 4, (guint)tm.tm_year + 1900);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    at = digits_put (at + 1, 2, (guint)parts[i]);
  digits_put (at + 1, 6, (guint)fraction);
  return g_strdup (text);
}

/* Takes exactly COUNT digits. */
static gboolean
take_digits (const char **at, int count, int *value)
{
  *value = 0;
  for (int i = 0; i < count; i++, (*at)++) {
    if (!g_ascii_isdigit (**at))
      return FALSE;
    *value = *value * 10 + (**at - '0');
  }
  return TRUE;
}

static gboolean
take_char (const char **at, char wanted)
{
  if (g_ascii_toupper (**at) != wanted)
    return FALSE;
  (*at)++;
  return TRUE;
}

/* Reads a date that exists; SECONDS is its 00:00 UTC. */
static gboolean
take_date (const char **at, gint64 *seconds)
{
  int year, month, day;
  if (!take_digits (at, 4, &year) || !take_char (at, '-') || !take_digits (at, 2, &month)
      || !take_char (at, '-') || !take_digits (at, 2, &day))
    return FALSE;
  if (year < 1970 || month < 1 || month > 12 || !g_date_valid_dmy (day, month, year))
    return FALSE;
  struct tm tm = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day };
  *seconds = timegm (&tm);
  return TRUE;
}

static gboolean
take_time (const char **at, gint64 *seconds, int *fraction_us)
{
  int hour, minute, second;
  if (!take_digits (at, 2, &hour) || !take_char (at, ':') || !take_digits (at, 2, &minute)
      || !take_char (at, ':') || !take_digits (at, 2, &second))
    return FALSE;
  if (hour > 23 || minute > 59 || second > 59)
    return FALSE;
  *seconds = hour * 3600 + minute * 60 + second;
  *fraction_us = 0;
  if (!take_char (at, '.'))
    return TRUE;
  if (!g_ascii_isdigit (**at))
    return FALSE;
  for (int unit = 100000; g_ascii_isdigit (**at); (*at)++, unit /= 10)
    *fraction_us += (**at - '0') * unit;
  return TRUE;
}

static gboolean
take_zone (const char **at, gint64 *offset_s)
{
  *offset_s = 0;
  if (take_char (at, 'Z'))
    return TRUE;
  int sign = **at == '+' ? 1 : **at == '-' ? -1 : 0;
  if (sign == 0)
    return FALSE;
  (*at)++;
  int hours, minutes;
  if (!take_digits (at, 2, &hours) || !take_char (at, ':') || !take_digits (at, 2, &minutes)
      || hours > 23 || minutes > 59)
    return FALSE;
  *offset_s = sign * (hours * 3600 + minutes * 60);
  return TRUE;
}

static gboolean
refuse (const char *text, const char *why, GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (text, strnlen (text, 60));
  return error_reject (error, "time '%s' %s", shown, why);
}

gboolean
clock_parse (const char *text, gint64 *us, GError **error)
{
  const char *at = text;
  gint64 day, seconds, offset;
  int fraction_us;
  if (!take_date (&at, &day) || !take_char (&at, 'T') || !take_time (&at, &seconds, &fraction_us))
    return refuse (text, "is not RFC 3339 of the years 1970 to 9999, like 2026-11-21T10:20:30Z",
                   error);
  if (!take_zone (&at, &offset) || *at != '\0')
    return refuse (text, "must end with its zone, Z or like +02:00", error);
  gint64 instant = (day + seconds - offset) * G_USEC_PER_SEC + fraction_us;
  if (instant < 0 || instant > LATEST_US)
    return refuse (text, "lies outside the years 1970 to 9999 (UTC)", error);
  *us = instant;
  return TRUE;
}

static gint64
unit_us (char unit)
{
  switch (unit) {
  case 's':
    return G_USEC_PER_SEC;
  case 'm':
    return 60 * (gint64)G_USEC_PER_SEC;
  case 'h':
    return 3600 * (gint64)G_USEC_PER_SEC;
  case 'd':
    return 86400 * (gint64)G_USEC_PER_SEC;
  default:
    return 0;
  }
}

/* Reads a duration before NOW_US, such as `-10m`. */
static gboolean
parse_ago (const char *text, gint64 now_us, gint64 *us, GError **error)
{
  char *end;
  guint64 count = g_ascii_isdigit (text[1]) ? g_ascii_strtoull (text + 1, &end, 10) : 0;
  gint64 unit = g_ascii_isdigit (text[1]) ? unit_us (*end) : 0;
  if (unit == 0 || end[1] != '\0')
    return refuse (text, "is not a time ago like -30s, -10m, -2h, -1d", error);
  if (count > (guint64)(now_us / unit))
    return refuse (text, "lies before 1970", error);
  *us = now_us - (gint64)count * unit;
  return TRUE;
}

gboolean
clock_parse_loose (const char *text, gint64 now_us, gint64 *us, GError **error)
{
  if (text[0] == '-')
    return parse_ago (text, now_us, us, error);
  const char *at = text;
  gint64 day;
  if (take_date (&at, &day) && *at == '\0') {
    *us = day * G_USEC_PER_SEC;
    return TRUE;
  }
  return clock_parse (text, us, error);
}
