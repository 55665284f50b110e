/* The state of a job in words, and its commands, from rows as night.sql has them. */
#include "engine/night/night.h"

#include "support/played.h"

static const char COLUMNS[]
    = "job|state|needs|late_s|overdue_s|behind_s|overdue|blocked|held|held_by|held_run_id|dead|"
      "dead_error|dead_run_id|retry_error|failing|failing_reason|rows|median|overdue_missed|"
      "oldest_overdue_seconds|deadline_seconds|overdue_why|overdue_oldest\n";

typedef struct {
  const char *state, *row, *says, *commands; /* ROW: from late_s on */
} Case;

static const Case CASES[] = {
  { "ok", "-|-|-|0|-|0|-|-|0|-|-|-|0|-|7|6", "ok", "" },
  { "no process", "-|-|-|0|-|0|-|-|0|-|-|-|0|-|-|-", "NO PROCESS RUNS", "pruned run" },
  { "not taken up", "-|-|-|0|-|0|-|-|0|-|-|-|0|-|-|-", "no running process has it",
    "pruned reload" },
  { "blocked", "-|-|-|0|no table x|0|-|-|0|-|-|-|0|-|-|-", "blocked: no table x", "pruned doctor" },
  { "held", "-|-|-|0|-|1|approve|r1|0|-|-|-|0|-|-|-", "held: approve",
    "pruned runs r1, pruned approve r1, pruned discard r1" },
  { "held", "-|-|-|0|-|3|max_rows|r1|0|-|-|-|0|-|-|-", "3 held: max_rows",
    "pruned runs r1, pruned approve r1, pruned discard r1" },
  { "dead", "-|-|-|0|-|0|-|-|1|out of luck|r2|-|0|-|-|-", "dead: out of luck",
    "pruned runs r2, pruned retry r2, pruned discard r2" },
  { "late", "7300.5|-|-|0|-|0|-|-|0|-|-|-|0|-|-|-", "its tick is 2 h late", "pruned status" },
  { "overdue", "-|300|-|2|-|0|-|-|0|-|-|-|0|-|-|-", "5 min behind", "pruned status" },
  { "behind", "-|-|345601|0|-|0|-|-|0|-|-|-|0|-|-|-", "4 d behind", "pruned runs --job j.x" },
  { "retrying", "-|-|-|0|-|0|-|-|0|-|-|no luck|0|-|-|-", "its run fails: no luck",
    "pruned runs --job j.x --state waiting" },
  { "failing", "-|-|-|0|-|0|-|-|0|-|-|-|1502|refunds_order_id_fkey|0|20000",
    "1,502 fail: refunds_order_id_fkey",
    "pruned quarantine list --all, pruned quarantine retry j.x" },
  { "less", "-|-|-|0|-|0|-|-|0|-|-|-|0|-|0|20000.5", "0 of usually 20,001", "pruned plan j.x" },
  { "never", "-|-|-|0|-|0|-|-|0|-|-|-|0|-|-|-", "has not run yet", "" },
};

/* Of rows past their deadline: its state, the row from `overdue_missed` on, what is said. */
static const Case PAST[] = {
  { "past", "1200|864000.5|604800|no rule|orders:42",
    "1,200 rows are 3 d past their deadline: no rule names them",
    "pruned why orders:42, pruned plan j.x" },
  { "past", "1|604801|604800|none|a b:1", "1 row is 1 s past its deadline: nothing keeps them",
    "pruned why 'a b:1', pruned plan j.x" },
  { "past", "2|-|604800|failed|orders:1", "2 rows are past their deadline: they fail",
    "pruned why orders:1, pruned plan j.x" },
  { "paused", "2|864000|604800|paused|orders:1",
    "paused; 2 rows are 3 d past their deadline: it is paused", "pruned resume j.x" },
  { "removed", "2|864000|604800|no rule|orders:1",
    "no process has it; 2 rows are 3 d past their deadline: no rule names them",
    "pruned why orders:1" },
  { "ok", "0|0|604800|-|-", "ok", "" },
};

static void
test_rows_past_their_deadline (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (PAST); i++) {
    g_autofree char *text = g_strdup_printf (
        "job|state|needs|overdue_missed|oldest_overdue_seconds|deadline_seconds|overdue_why|"
        "overdue_oldest|late_s|overdue_s|behind_s\nj.x|%s|t|%s|-|-|-",
        PAST[i].state, PAST[i].row);
    g_autoptr (PgRows) rows = played_rows (text);
    g_autofree char *says = night_says (rows, 0);
    g_auto (GStrv) commands = night_commands (rows, 0);
    g_autofree char *all = g_strjoinv (", ", commands);
    g_assert_cmpstr (says, ==, PAST[i].says);
    g_assert_cmpstr (all, ==, PAST[i].commands);
  }
}

static PgRows *
row_of (const Case *one, gboolean needs)
{
  g_autofree char *text = g_strdup_printf ("%sj.x|%s|%s|%s|0|-|-|-|-", COLUMNS, one->state,
                                           needs ? "t" : "f", one->row);
  return played_rows (text);
}

static void
test_each_state_has_its_words_and_commands (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (PgRows) rows = row_of (&CASES[i], TRUE);
    g_autofree char *says = night_says (rows, 0);
    g_auto (GStrv) commands = night_commands (rows, 0);
    g_autofree char *all = g_strjoinv (", ", commands);
    g_assert_cmpstr (says, ==, CASES[i].says);
    g_assert_cmpstr (all, ==, CASES[i].commands);
  }
}

static void
test_what_needs_nobody_has_no_commands (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (PgRows) rows = row_of (&CASES[i], FALSE);
    g_auto (GStrv) commands = night_commands (rows, 0);
    g_assert_null (commands[0]);
  }
}

static void
test_what_settings_say (void)
{
  g_autoptr (json_t) settings = json_pack (
      "{s:{s:b, s:s, s:s, s:s, s:s}, s:{s:b, s:s, s:s, s:s, s:s}, s:{s:b, s:s, s:s, s:s}}",
      "nightly", "enabled", 1, "mode", "apply", "schedule", "0 2 * * *", "time_zone", "UTC",
      "min_ratio", "off", "hourly", "enabled", 1, "mode", "plan", "schedule", "5 * * * *",
      "time_zone", "UTC", "catch_up", "all", "away", "enabled", 0, "mode", "apply", "schedule",
      "0 2 * * *", "time_zone", "UTC");
  g_autoptr (Night) night = night_new (settings);
  g_autoptr (PgRows) rows = NULL;
  played_begin ();
  rows = night_ask (NULL, night, "2026-11-29", NULL);
  g_assert_cmpstr (played_bound ("night", "job"), ==, "{nightly,hourly,away}");
  g_assert_cmpstr (played_bound ("night", "interval_s"), ==, "{86400,3600,0}");
  g_assert_cmpstr (played_bound ("night", "mode"), ==, "{apply,plan,off}");
  g_assert_cmpstr (played_bound ("night", "catches_up"), ==, "{false,true,false}");
  g_assert_true (g_str_has_prefix (played_bound ("night", "least"), "{-1,0.1"));
  g_assert_cmpstr (played_bound ("night", "since"), ==, "2026-11-29");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/night/words", test_each_state_has_its_words_and_commands);
  g_test_add_func ("/night/past", test_rows_past_their_deadline);
  g_test_add_func ("/night/needs_nobody", test_what_needs_nobody_has_no_commands);
  g_test_add_func ("/night/settings", test_what_settings_say);
  return g_test_run ();
}
