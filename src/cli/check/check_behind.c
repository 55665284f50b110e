/* What stands behind a text of a job: functions and views of the application. */
#include "cli/check/check.h"

#include "engine/job/sentence/behind.h"
#include "engine/job/sentence/hidden.h"
#include "engine/job/sentence/sql_clock.h"

/* ROW of ROWS decides otherwise than in a session of the application. */
static void
check_hidden (Check *check, CheckPlace place, const PgRows *rows, int row)
{
  g_autofree char *hides = behind_hides (rows, row);
  g_autoptr (PgValues) question = behind_operators (rows, row);
  g_autoptr (PgRows) operators
      = question != NULL ? check_ask (check, "statements", HIDDEN_OPERATORS, question) : NULL;
  g_autofree char *why = operators != NULL ? behind_why (rows, row, operators) : NULL;
  if (hides != NULL)
    check_error (check, CODE_CONFIG, "statements", place, NULL, "%s", hides);
  if (why != NULL)
    check_error (check, CODE_CONFIG, "statements", place, NULL, "%s", why);
}

static void
check_asks_clock (Check *check, CheckPlace place, const char *time, const PgRows *rows, int row)
{
  g_auto (GStrv) words = sql_clock_words (rows_text (rows, row, "text"));
  if (words[0] == NULL)
    return;
  g_autofree char *asks = g_strjoinv (", ", words);
  check_warn (check, "condition", place, NULL,
              "%s is not T, the time of the tick, and %s asks it: plan --at, a late tick and a "
              "retry mean another day than it; give the function %s as an argument, or write what "
              "the view says with %s",
              asks, rows_text (rows, row, "name"), time, time);
}

void
check_behind (Check *check, const char *file, CheckPlace place, const char *text)
{
  if (!behind_is_any (text))
    return;
  g_autoptr (PgValues) question = behind_question (text);
  g_autoptr (PgRows) rows = check_ask (check, "statements", BEHIND, question);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    if (file != NULL) /* a sentence was refused before */
      check_hidden (check, place, rows, i);
    if (file == NULL || check_clock_chooses (file))
      check_asks_clock (check, place, file == NULL ? ":T" : ":scheduled_at", rows, i);
  }
}
