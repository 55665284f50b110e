/* Numbers, times and results in words: docs/operations.md. */
#include "base/words.h"

#include "base/clock.h"

#include <string.h>

#define NOW "2026-11-21T12:00:00Z"

static void
test_times (void)
{
  static const char *const cases[][2] = {
    { "2026-11-21T12:00:00Z", "now" },
    { "2026-11-21T11:59:12Z", "48 s ago" },
    { "2026-11-21T12:00:48Z", "in 48 s" },
    { "2026-11-21T11:58:01Z", "119 s ago" },
    { "2026-11-21T11:58:00Z", "2 min ago" },
    { "2026-11-21T10:00:01Z", "119 min ago" },
    { "2026-11-21T10:00:00Z", "2 h ago" },
    { "2026-11-21T21:30:00Z", "in 9 h" },
    { "2026-11-19T12:00:01Z", "47 h ago" },
    { "2026-11-19T12:00:00Z", "2 days ago" },
    { "2026-12-21T12:00:00Z", "in 30 days" },
    { "2026-11-21T13:00:00+01:00", "now" },
    { "infinity", NULL },
    { "", NULL },
    { NULL, NULL },
  };
  gint64 now_us;
  g_assert_true (clock_parse (NOW, &now_us, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *words = words_of_time (cases[i][0], now_us);
    g_assert_cmpstr (words, ==, cases[i][1]);
  }
}

/* What was removed comes first, then the larger numbers; `updated_rows` only where it is alone. */
static void
test_results (void)
{
  static const char *const cases[][2] = {
    { "{\"status\":\"completed\",\"updated_rows\":4365,\"removed\":4365,\"kept\":33}",
      "4,365 removed, 33 kept" },
    { "{\"updated_rows\":1,\"removed\":1,\"kept\":5000}", "1 removed, 5,000 kept" },
    { "{\"updated_rows\":3}", "3 rows" },
    { "{\"updated_rows\":1}", "1 row" },
    { "{\"updated_rows\":1,\"groups\":1,\"projects\":2}", "2 projects, 1 group" },
    { "{\"updated_rows\":0,\"already_running\":2}", "2 already running" },
    { "{\"status\":\"completed\",\"updated_rows\":0,\"removed\":0}", NULL },
    { "{\"status\":\"blocked\",\"reason\":\"no table members\"}", "no table members" },
    { "{\"removed\":2,\"updated_rows\":2,\"reason\":\"it has ended\"}", "2 removed; it has ended" },
    { "{\"mode\":\"plan\",\"updated_rows\":3000,\"removed\":3000}",
      "planned: 3,000 would be removed" },
    { "{\"mode\":\"plan\",\"updated_rows\":0}", "planned: nothing" },
    { "{\"mode\":\"plan\",\"updated_rows\":2}", "planned: 2 rows would change" },
    { "{\"mode\":\"plan\",\"updated_rows\":30,\"removed\":30,"
      "\"applied\":{\"updated_rows\":10,\"removed\":10}}",
      "10 removed; planned: 20 would be removed" },
    { "{\"mode\":\"plan\",\"updated_rows\":200,\"removed\":200,"
      "\"would_be_held\":\"200 rows are above max_rows 100\"}",
      "planned: 200 would be removed; would be held: 200 rows are above max_rows 100" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (json_t) result = json_parse (cases[i][0], strlen (cases[i][0]), NULL);
    g_autofree char *words = words_of_result (result);
    g_test_message ("%s", cases[i][0]);
    g_assert_cmpstr (words, ==, cases[i][1]);
  }
}

static void
assert_wrapped (const char *text, glong most, const char *wanted)
{
  g_auto (GStrv) lines = words_wrap (text, most);
  g_autofree char *got = g_strjoinv ("|", lines);
  g_assert_cmpstr (got, ==, wanted);
}

static void
test_a_text_is_wrapped_between_words (void)
{
  assert_wrapped ("", 5, "");
  assert_wrapped ("whole", 5, "whole");
  assert_wrapped ("two words", 5, "two|words");
  assert_wrapped ("two  words", 4, "two|word|s");
  assert_wrapped ("members:4711", 10, "members:|4711");
  assert_wrapped ("漢字漢字", 5, "漢字|漢字");
  assert_wrapped ("漢字", 1, "漢|字");
}

/* A wide character takes two columns, one that is put on another none. */
static void
test_a_text_is_cut_to_columns (void)
{
  static const struct {
    const char *text;
    glong width, most;
    const char *cut;
  } cases[] = { { "", 0, 3, "" },
                { "abc", 3, 3, "abc" },
                { "abcd", 4, 3, "ab…" },
                { "漢字", 4, 4, "漢字" },
                { "漢字", 4, 3, "漢…" },
                { "漢字", 4, 2, "…" },
                { "e\u0301e", 2, 2, "e\u0301e" },
                { "e\u0301ee", 3, 2, "e\u0301…" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *cut = words_cut (cases[i].text, cases[i].most);
    g_assert_cmpint (words_width (cases[i].text), ==, cases[i].width);
    g_assert_cmpstr (cut, ==, cases[i].cut);
  }
}

static void
test_one_line (void)
{
  static const char *const cases[][2]
      = { { "a b", "a b" }, { " a\n\tb  c\n", "a b c" }, { "\n", "" }, { "", "" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *line = words_in_one_line (cases[i][0]);
    g_assert_cmpstr (line, ==, cases[i][1]);
  }
}

/* The page of a run says all of its result, in words. */
static void
test_whole_results (void)
{
  static const char *const cases[][2] = {
    { "{\"status\":\"limit_reached\",\"updated_rows\":180500,\"removed\":180500,\"kept\":0}",
      "more to come, 180,500 updated rows, 180,500 removed, 0 kept" },
    { "{\"status\":\"completed\",\"updated_rows\":1,\"removed\":1,\"passed_over\":2,"
      "\"tables\":{\"notes\":{\"deleted\":1500,\"changed\":2}},\"versions\":[\"a\",\"b\"]}",
      "completed, 1 updated rows, 1 removed, 2 skipped, in quarantine; "
      "tables: notes: deleted 1,500, changed 2; versions: a, b" },
    { "{\"status\":\"blocked\",\"reason\":\"no table members\"}",
      "blocked; reason: no table members" },
    { "{}", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (json_t) result = json_parse (cases[i][0], strlen (cases[i][0]), NULL);
    g_autofree char *words = words_of_whole (result);
    g_assert_cmpstr (words, ==, cases[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/words/times", test_times);
  g_test_add_func ("/words/results", test_results);
  g_test_add_func ("/words/whole results", test_whole_results);
  g_test_add_func ("/words/wrapped", test_a_text_is_wrapped_between_words);
  g_test_add_func ("/words/cut", test_a_text_is_cut_to_columns);
  g_test_add_func ("/words/one_line", test_one_line);
  return g_test_run ();
}
