#include "engine/job/argument_text.h"

#include <string.h>

#define YEARS 400     /* after which the calendar begins again */
#define MOST_DIGITS 7 /* of a year */
#define UUID_DIGITS 32

gboolean
argument_text_is_whole (const char *text, gint64 least, gint64 most)
{
  return g_ascii_string_to_signed (text, 10, least, most, NULL, NULL);
}

gboolean
argument_text_is_number (const char *text)
{
  char *end;
  (void)g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

gboolean
argument_text_is_truth (const char *text)
{
  static const char *const words[] = { "true", "false", "yes", "no", "on", "off", "1", "0" };
  gsize len = strlen (text);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (len > 0 && g_ascii_strncasecmp (words[i], text, len) == 0)
      return TRUE;
  return FALSE;
}

/* The number of exactly two digits; -1: there is none. */
static int
two_digits (const char *text)
{
  if (!g_ascii_isdigit (text[0]) || !g_ascii_isdigit (text[1]) || g_ascii_isdigit (text[2]))
    return -1;
  return (text[0] - '0') * 10 + text[1] - '0';
}

/* What follows a time of day (fractions, a zone) is left to PostgreSQL. */
static gboolean
is_time_of_day (const char *text)
{
  const int hour = two_digits (text);
  if (hour < 0 || hour > 24 || text[2] != ':')
    return FALSE;
  const int minute = two_digits (text + 3);
  return minute >= 0 && minute < 60;
}

gboolean
argument_text_is_time (const char *text)
{
  char *behind;
  const gsize digits = strspn (text, "0123456789");
  if (digits < 4 || digits > MOST_DIGITS || text[digits] != '-')
    return FALSE;
  const gint64 year = g_ascii_strtoll (text, &behind, 10);
  const int month = two_digits (behind + 1);
  if (month < 1 || month > 12 || behind[3] != '-')
    return FALSE;
  const int day = two_digits (behind + 4);
  const char *rest = day > 0 ? behind + 6 : "";
  const gboolean before_christ = g_str_has_suffix (rest, " BC");
  /* In the same place of the calendar's period; there is no year 0. */
  const gint64 alike = before_christ ? YEARS - (year - 1) % YEARS : YEARS + year % YEARS;
  if (day < 1 || year == 0
      || !g_date_valid_dmy ((GDateDay)day, (GDateMonth)month, (GDateYear)alike))
    return FALSE;
  return *rest == '\0' || g_str_equal (rest, " BC")
         || ((*rest == ' ' || *rest == 'T') && is_time_of_day (rest + 1));
}

gboolean
argument_text_is_uuid (const char *text)
{
  guint digits = 0;
  for (; *text != '\0'; text++)
    if (g_ascii_isxdigit (*text))
      digits++;
    else if (strchr ("-{}", *text) == NULL)
      return FALSE;
  return digits == UUID_DIGITS;
}
