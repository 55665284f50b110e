#include "engine/job/step_zone.h"

#include "config/cron.h"
#include "engine/job/step_words.h"
#include "pg/quoted.h"

/* The literal at P, behind blanks and brackets; NULL: something else stands there. */
static char *
literal_at (const char *text, const char *p)
{
  const char *end;
  gboolean closed;
  while (*(p = step_words_behind_blanks (text, p)) == '(')
    p++;
  if (*p != '\'' || quoted_at (text, p, &end, &closed) != QUOTED_LITERAL || !closed)
    return NULL;
  return g_strndup (p + 1, (gsize)(end - p) - 2);
}

/* Moves *P behind TIME ZONE, if that stands there. */
static gboolean
skip_time_zone (const char *text, const char **p)
{
  const char *at;
  g_autofree char *first = step_word (text, p, &at), *second = step_word (text, p, &at);
  return g_str_equal (first, "time") && g_str_equal (second, "zone");
}

char *
step_zone_wrong (const char *text, const char *word, const char *p)
{
  const gboolean of_call = g_str_equal (word, "timezone");
  if (of_call ? *step_words_behind_blanks (text, p) != '('
              : !g_str_equal (word, "at") || !skip_time_zone (text, &p))
    return NULL;
  g_autofree char *zone = literal_at (text, p);
  if (zone == NULL || !(cron_zone_is_posix (zone) || cron_zone_is_offset (zone)))
    return NULL;
  return g_strdup_printf ("%s '%s' is read by the rules of POSIX, where + lies west of Greenwich: "
                          "write a name, like 'Europe/Berlin', or INTERVAL '+03:00', whose sign is "
                          "as usual",
                          of_call ? " of" : " TIME ZONE", zone);
}
