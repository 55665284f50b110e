/* What a condition asks of the server's clock is not T (docs/adding-a-job.md). */
#include "engine/job/sentence/sql_clock.h"

static const struct {
  const char *text, *words; /* with | between them */
} CASES[] = {
  { "a < :T - interval '30 days'", "" },
  { "a < now() - interval '30 days'", "now()" },
  { "a < pg_catalog.now () OR b < NOW()", "now()" },
  { "a < \"now\"()", "now()" },
  { "a < current_timestamp(3) AND b < Current_Date", "current_timestamp|current_date" },
  { "a < localtimestamp AND b < localtime AND c < current_time",
    "localtimestamp|localtime|current_time" },
  { "a < clock_timestamp() OR a < statement_timestamp() OR a < transaction_timestamp()",
    "clock_timestamp()|statement_timestamp()|transaction_timestamp()" },
  { "age(a) > '1 day'", "age() of one time" },
  { "age(a, (b)) > '1 day' AND age (:T, a) > '1 day'", "" },
  { "age(date_trunc('day', a)) > '1 day'", "age() of one time" },
  { "a < 'now'::timestamptz", "'now'" },
  { "a < 'TODAY' AND b < ' yesterday 03:00 '", "'TODAY'|' yesterday 03:00 '" },
  { "now = 1 AND t.now = 2 AND t.current_date = 3 AND age = 4", "" },
  { "a = 'not now' AND b = 'today or never' AND c = 'now()' AND d = 'nowhere'", "" },
  { "a < $$now$$ OR a < E'today'", "'now'|'today'" },
  { "a < '12:00 today' OR a < 'allballs tomorrow' OR a < 'today,12:00'",
    "'12:00 today'|'allballs tomorrow'|'today,12:00'" },
  { "a < '04:05 PM yesterday' OR a < 'today 12:00 CET' OR a < 'today Europe/Berlin'",
    "'04:05 PM yesterday'|'today 12:00 CET'|'today Europe/Berlin'" },
  { "a = 'today and tomorrow' OR a = 'now now' OR a = '12:00' OR a = 'noon today'", "" },
  { "age(", "" },
  { "", "" },
};

static void
test_words (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_test_message ("%s", CASES[i].text);
    g_auto (GStrv) words = sql_clock_words (CASES[i].text);
    g_autofree char *joined = g_strjoinv ("|", words);
    g_assert_cmpstr (joined, ==, CASES[i].words);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sql_clock/words", test_words);
  return g_test_run ();
}
