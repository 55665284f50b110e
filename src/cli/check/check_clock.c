/* What asks for rows by the clock of the server instead of T. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "engine/job/job_file_name.h"
#include "engine/job/sentence/sql_clock.h"
#include "engine/job/step_words.h"

#include <string.h>

#define SERVER_ZONE "src/cli/check/sql/server_zone.sql"
#define THEN "\n-- then:"
#define AGE "age"

/* A literal that PLAN has as it is, or in a list, was read as a text. */
static gboolean
is_of_clock (const char *word, const char *plan)
{
  if (word[0] != '\'')
    return TRUE;
  g_autofree char *inner = g_strndup (word + 1, strlen (word) - 2),
                  *escaped = g_regex_escape_string (inner, -1),
                  *text = g_strdup_printf ("'(?:\\{[^']*\\b)?%s(?:\\b[^']*\\})?'", escaped);
  return !g_regex_match_simple (text, plan, 0, 0);
}

/* The line of the file at PATH that has WORD; 0: none of its own. */
static int
line_of (const char *path, const char *word)
{
  g_autofree char *text = path != NULL ? resource_text (path, NULL) : NULL,
                  *name = g_strndup (word, strcspn (word, "( "));
  return text != NULL ? step_words_line (text, name, 1) : 0;
}

static void
check_text (Check *check, const char *path, CheckPlace place, const char *text, const char *plan)
{
  const char *time = path == NULL ? ":T" : ":scheduled_at";
  g_auto (GStrv) words = sql_clock_words (text);
  for (guint i = 0; words[i] != NULL; i++) {
    if (!is_of_clock (words[i], plan))
      continue;
    const gboolean call = g_str_has_prefix (words[i], AGE "()");
    g_autofree char *better = call ? g_strdup_printf (AGE "(%s, COLUMN)", time) : g_strdup (time),
                    *remedy = g_strdup_printf ("Write %s instead of %s", better,
                                               call ? AGE "(COLUMN)" : words[i]);
    if (path != NULL)
      place.line = line_of (path, words[i]);
    check_warn (
        check, "condition", place, remedy,
        "%s is not T, the time of the tick: plan --at, a late tick and a retry mean another "
        "day than it; write %s",
        words[i], better);
  }
}

/* Literals that PLAN has as times with a zone, and that do not say it: midnight in UTC is another
 * time than in the sessions of the application. */
static void
check_zone_of_literals (Check *check, CheckPlace place, const char *plan)
{
  static const char *const bare = "'\\s*(\\d{4}-\\d\\d-\\d\\d)([ T][0-9:.]*)?\\s*'";
  g_autoptr (GRegex) regex = g_regex_new (bare, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  for (g_regex_match (regex, check->job->sentence->where, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL)) {
    g_autofree char *literal = g_match_info_fetch (match, 0), *day = g_match_info_fetch (match, 1),
                    *zoned = g_strdup_printf ("'%s [0-9:.]+\\+00'::timestamp with time zone", day);
    g_autoptr (PgRows) rows = g_regex_match_simple (zoned, plan, 0, 0)
                                  ? check_ask (check, "time zone", SERVER_ZONE, NULL)
                                  : NULL;
    if (rows != NULL && rows_count (rows) > 0)
      check_warn (check, "time zone", place, NULL,
                  "%s has no time zone and is read as UTC, but the server's time zone is %s: write "
                  "its offset, or the name of a zone, behind the time",
                  literal, rows_text (rows, 0, "zone"));
  }
}

void
check_clock (Check *check, CheckPlace place, const char *plan)
{
  check_zone_of_literals (check, place, plan);
  check_text (check, NULL, place, check->job->sentence->where, plan);
}

/* What a file sets in rows can well be the time at which it does so. */
gboolean
check_clock_chooses (const char *file)
{
  static const char *const files[] = { "page", "decide", "count", "values", NULL };
  JobApply apply = { 0 };
  const gboolean deletes = g_str_has_prefix (file, "apply/") && job_file_name (file, &apply, NULL)
                           && apply.kind == APPLY_DELETE;
  g_free (apply.table);
  return deletes || g_strv_contains (files, file);
}

void
check_clock_of_file (Check *check, const char *file, CheckPlace place, const char *plan)
{
  g_autofree char *text = check_clock_chooses (file) ? resource_sql (place.file, NULL) : NULL;
  char *then = text != NULL ? strstr (text, THEN) : NULL;
  if (then != NULL)
    *then = '\0';
  if (text != NULL)
    check_text (check, place.file, place, text, plan);
}
