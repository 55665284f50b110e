#include "engine/job/sentence/sql_interval.h"

#include "engine/job/sentence/sql_text.h"
#include "pg/quoted.h"

#include <string.h>

/* A number that is not 0. `1-2` is none: a year and two months. */
static gboolean
is_number (const char *from, const char *end)
{
  gboolean is = FALSE;
  for (; from < end; from++) {
    if ((!g_ascii_isdigit (*from) && strchr (" .+-", *from) == NULL)
        || (*from == '-' && g_ascii_isdigit (from[-1])))
      return FALSE;
    is = is || (g_ascii_isdigit (*from) && *from != '0');
  }
  return is;
}

/* Whether `day` or the like stands at AT. */
static gboolean
is_unit (const char *at)
{
  static const char *const units[] = { "year", "month", "day", "hour", "minute", "second" };
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (sql_text_skip_word (&at, units[i]))
      return TRUE;
  return FALSE;
}

/* Skips `::interval`. */
static gboolean
skip_cast (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
  if ((*at)[0] != ':' || (*at)[1] != ':')
    return FALSE;
  *at += 2;
  return sql_text_skip_word (at, "interval");
}

gboolean
sql_interval_has_units (const char *text, GError **error)
{
  gboolean interval = FALSE; /* the word `interval` has just been read */
  for (const char *p = text, *end; *p != '\0'; p = end) {
    Quoted quoted = quoted_at (text, p, &end, NULL);
    const char *behind = end;
    if (quoted == QUOTED_LITERAL && is_number (p + 1, end - 1) && (interval || skip_cast (&behind))
        && !is_unit (behind))
      return error_fatal (error, "an interval of %.*s is one of seconds: write the unit, '30 days'",
                          (int)(end - p), p);
    gsize word = quoted_name_length (p);
    if (quoted == QUOTED_NOT)
      end = p + (word > 0 ? word : 1);
    if (!g_ascii_isspace (*p))
      interval = end == p + 8 && g_ascii_strncasecmp (p, "interval", 8) == 0;
  }
  return TRUE;
}
