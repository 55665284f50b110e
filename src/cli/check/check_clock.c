/* What asks for rows by the clock of the server instead of T. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "engine/job/job_file_name.h"
#include "engine/job/sentence/sql_clock.h"
#include "engine/job/step_words.h"

#include <string.h>

#define THEN "\n-- then:"

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
    g_autofree char *remedy = g_strdup_printf ("Write %s instead of %s", time, words[i]);
    if (path != NULL)
      place.line = line_of (path, words[i]);
    check_warn (
        check, "condition", place, remedy,
        "%s is not T, the time of the tick: plan --at, a late tick and a retry mean another "
        "day than it; write %s",
        words[i], time);
  }
}

void
check_clock (Check *check, CheckPlace place, const char *plan)
{
  check_text (check, NULL, place, check->job->sentence->where, plan);
}

/* What FILE sets in rows can well be the time at which it does so. */
static gboolean
chooses_rows (const char *file)
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
  g_autofree char *text = chooses_rows (file) ? resource_sql (place.file, NULL) : NULL;
  char *then = text != NULL ? strstr (text, THEN) : NULL;
  if (then != NULL)
    *then = '\0';
  if (text != NULL)
    check_text (check, place.file, place, text, plan);
}
