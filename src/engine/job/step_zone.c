#include "engine/job/step_zone.h"

#include "config/cron.h"
#include "engine/job/step_words.h"
#include "pg/quoted.h"

#include <string.h>

/* What the literal from P to END says: '..', or $tag$..$tag$. */
static char *
said (const char *p, const char *end)
{
  const gsize marks = *p == '$' ? (gsize)(strchr (p + 1, '$') - p) + 1 : 1;
  return g_strndup (p + marks, (gsize)(end - p) - 2 * marks);
}

/* The zone that the literal at P says, behind blanks and brackets, if it is wrong; NULL: it is not,
 * or something else stands there. */
static char *
wrong_at (const char *text, const char *p)
{
  const char *end;
  gboolean closed;
  while (*(p = step_words_behind_blanks (text, p)) == '(')
    p++;
  p += (*p == 'e' || *p == 'E') && p[1] == '\'';
  if (quoted_at (text, p, &end, &closed) != QUOTED_LITERAL || !closed)
    return NULL;
  g_autofree char *zone = said (p, end);
  const gboolean wrong = cron_zone_is_posix (zone) || cron_zone_is_offset (zone);
  return wrong ? g_steal_pointer (&zone) : NULL;
}

/* The same of the arguments of the call whose brackets open at P: one of them is a zone. */
static char *
wrong_among (const char *text, const char *p)
{
  for (int depth = 0; *p != '\0';) {
    const char *end;
    const gboolean code = quoted_at (text, p, &end, NULL) == QUOTED_NOT;
    depth += code ? (*p == '(') - (*p == ')') : 0;
    if (depth == 0)
      return NULL;
    char *zone = code && depth == 1 && strchr ("(,", *p) != NULL ? wrong_at (text, p + 1) : NULL;
    if (zone != NULL)
      return zone;
    p = code ? p + 1 : end;
  }
  return NULL;
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
  static const char *const calls[] = { "timezone", "date_trunc", "make_timestamptz", NULL };
  const gboolean of_call = g_strv_contains (calls, word);
  const char *open = step_words_behind_blanks (text, p);
  if (of_call ? *open != '(' : !g_str_equal (word, "at") || !skip_time_zone (text, &p))
    return NULL;
  g_autofree char *zone
      = of_call && !g_str_equal (word, calls[0]) ? wrong_among (text, open) : wrong_at (text, p);
  if (zone == NULL)
    return NULL;
  return g_strdup_printf ("%s '%s' is read by the rules of POSIX, where + lies west of Greenwich: "
                          "write a name, like 'Europe/Berlin', or INTERVAL '+03:00', whose sign is "
                          "as usual",
                          of_call ? " of" : " TIME ZONE", zone);
}

/* The zone at the end of the literal TIME, if that begins with a date. NULL: there is none, or it
 * is well. */
static char *
wrong_in (const char *time)
{
  static const char *const form
      = "^\\s*\\d+[-/.]\\w+[-/.]\\d+.*?(?<![A-Za-z/_])([A-Za-z]{3,}[+-][0-9:]+)\\s*$";
  g_autoptr (GRegex) regex = g_regex_new (form, G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  if (!g_regex_match (regex, time, 0, &match))
    return NULL;
  g_autofree char *zone = g_match_info_fetch (match, 1);
  return cron_zone_is_posix (zone) ? g_steal_pointer (&zone) : NULL;
}

char *
step_zone_wrong_in_time (const char *text, char **zone)
{
  for (const char *p = text, *end; *p != '\0'; p = end) {
    gboolean closed;
    const Quoted quoted = quoted_at (text, p, &end, &closed);
    if (quoted == QUOTED_NOT)
      end = p + 1;
    if (quoted != QUOTED_LITERAL || !closed)
      continue;
    g_autofree char *time = said (p, end);
    *zone = wrong_in (time);
    if (*zone != NULL)
      return g_strdup_printf (" in '%s' is read by the rules of POSIX, where + lies west of "
                              "Greenwich: write the offset alone, like +03:00, or the name of a "
                              "zone, like Europe/Berlin",
                              time);
  }
  return NULL;
}
