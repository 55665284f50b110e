/* The parts of housekeeping: one that fails delays none of the others. */
#include "engine/clock/chores.h"

#include "base/error.h"
#include "support/played.h"

#define MINUTE_US (60 * G_USEC_PER_SEC)
#define EARLY_US (400 * G_TIME_SPAN_MILLISECOND) /* longer than a case takes */

static Service service;
static GString *done; /* the first letters of the parts that were done */
static gboolean more, third;
static gint64 takes_us; /* the second one */
static Chores *chores;

/* LETTER is noted. FILE: one that has no parameters. */
static gboolean
ask (Pg *pg, char letter, const char *file, GError **error)
{
  g_autoptr (PgRows) rows = pg_run_file (pg, file, NULL, error);
  g_string_append_c (done, letter);
  return rows != NULL;
}

static gboolean
look_at_first (Service *its, Pg *pg, GError **error)
{
  return ask (pg, 'f', "src/engine/clock/sql/ledger_size.sql", error);
}

static gboolean
look_at_second (Service *its, Pg *pg, GError **error)
{
  its->housekeeping.more = more;
  played_later (takes_us);
  return ask (pg, 's', "src/engine/clock/sql/next_due.sql", error);
}

static gboolean
look_at_third (Service *its, Pg *pg, GError **error)
{
  return !third || ask (pg, 't', "src/engine/clock/sql/next_due.sql", error);
}

static const Chore CHORES[] = { { "first", 0, look_at_first, 5 * G_USEC_PER_SEC },
                                { "second", MINUTE_US, look_at_second },
                                { "third", MINUTE_US, look_at_third } };

static void
begin (void)
{
  played_begin ();
  more = FALSE;
  done = g_string_new (NULL);
  chores = chores_new (CHORES, G_N_ELEMENTS (CHORES), "failed", &service.housekeeping.more);
}

static void
end (void)
{
  chores_free (chores);
  g_string_free (done, TRUE);
}

/* A round LATER_US later does EXPECTED. */
static void
assert_round (gint64 later_us, const char *expected)
{
  g_autoptr (GError) error = NULL;
  played_later (later_us);
  g_string_truncate (done, 0);
  g_assert_true (chores_round (chores, &service, played_pg (), &error));
  g_assert_cmpstr (done->str, ==, expected);
}

static void
on_chore (const char *part, const ChoreState *state, gpointer data)
{
  g_string_append_printf (data, "%s %s %u, ", part, state->well_s > 0 ? "well" : "never",
                          state->failures);
}

static void
assert_states (const char *expected)
{
  g_autoptr (GString) states = g_string_new (NULL);
  chores_each (on_chore, states);
  g_assert_cmpstr (states->str, ==, expected);
}

static void
test_a_part_that_fails_stops_none_behind_it (void)
{
  begin ();
  played_refuse ("ledger_size", "57014", "it takes too long");
  assert_round (0, "fs");
  assert_states ("first never 1, second well 0, third well 0, ");
  g_autoptr (json_t) failing = chores_ailing ();
  g_assert_cmpuint (json_array_size (failing), ==, 1);
  const json_t *one = json_array_get (failing, 0);
  g_assert_cmpstr (json_string_value (json_object_get (one, "part")), ==, "first");
  g_assert_true (json_is_null (json_object_get (one, "well_at")));
  g_assert_nonnull (
      strstr (json_string_value (json_object_get (one, "error")), "it takes too long"));
  assert_round (G_USEC_PER_SEC, "f");
  assert_states ("first well 0, second well 0, third well 0, ");
  g_autoptr (json_t) none = chores_ailing ();
  g_assert_cmpuint (json_array_size (none), ==, 0);
  end ();
}

static void
test_it_waits_longer_each_time_but_no_longer_than_it_is_done_seldom (void)
{
  static const gint64 waits_ms[] = { 500, 1000, 2000, 2000, 2000 };
  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (waits_ms); i++) {
    played_refuse ("ledger_size", "57014", "it takes too long");
    assert_round (i == 0 ? 0 : EARLY_US, i == 0 ? "fs" : "f");
    assert_round (1000 * waits_ms[i] - EARLY_US, "");
  }
  end ();
}

static void
test_what_is_due_seldom_waits_for_its_time_unless_there_is_more (void)
{
  begin ();
  more = TRUE;
  assert_round (0, "fs");
  assert_round (1, "fs");
  more = FALSE;
  assert_round (1, "fs");
  assert_round (MINUTE_US - EARLY_US, "f");
  assert_round (EARLY_US, "fs");
  end ();
}

/* Others take a process for dead whose row is not written for half a minute. */
static void
test_what_must_not_wait_is_done_between_parts_that_take_long (void)
{
  begin ();
  third = TRUE;
  assert_round (0, "fst");
  assert_round (G_USEC_PER_SEC, "f");
  takes_us = 15 * G_USEC_PER_SEC;
  assert_round (MINUTE_US, "fsft");
  takes_us = 0;
  third = FALSE;
  end ();
}

/* A part that takes long fails nobody, and holds up those behind it. */
static void
test_one_that_takes_long_is_named (void)
{
  begin ();
  takes_us = 9 * G_USEC_PER_SEC;
  assert_round (0, "fsf");
  g_autoptr (json_t) none = chores_ailing ();
  g_assert_cmpuint (json_array_size (none), ==, 0);
  takes_us = 12 * G_USEC_PER_SEC;
  assert_round (MINUTE_US, "fsf");
  g_autoptr (json_t) slow = chores_ailing ();
  g_assert_cmpuint (json_array_size (slow), ==, 1);
  const json_t *one = json_array_get (slow, 0);
  g_assert_cmpstr (json_string_value (json_object_get (one, "part")), ==, "second");
  g_assert_cmpint (json_integer_value (json_object_get (one, "seconds")), ==, 12);
  g_assert_true (json_is_null (json_object_get (one, "error")));
  takes_us = 0;
  assert_round (MINUTE_US, "fs");
  g_autoptr (json_t) again = chores_ailing ();
  g_assert_cmpuint (json_array_size (again), ==, 0);
  end ();
}

/* The round ends: each part would wait for the server once more. */
static void
test_without_postgresql_no_part_is_done (void)
{
  g_autoptr (GError) error = NULL;
  begin ();
  played_answer ("ledger_size", NULL);
  g_assert_false (chores_round (chores, &service, played_pg (), &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  g_assert_cmpstr (done->str, ==, "f");
  assert_states ("first never 0, second never 0, third never 0, ");
  end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chores/fails", test_a_part_that_fails_stops_none_behind_it);
  g_test_add_func ("/chores/waits",
                   test_it_waits_longer_each_time_but_no_longer_than_it_is_done_seldom);
  g_test_add_func ("/chores/due", test_what_is_due_seldom_waits_for_its_time_unless_there_is_more);
  g_test_add_func ("/chores/between", test_what_must_not_wait_is_done_between_parts_that_take_long);
  g_test_add_func ("/chores/long", test_one_that_takes_long_is_named);
  g_test_add_func ("/chores/away", test_without_postgresql_no_part_is_done);
  return g_test_run ();
}
