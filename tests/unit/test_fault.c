#include "base/fault.h"
#include <stdio.h>

#ifndef PRUNED_FAULTS

static void
test_a_plain_build_has_no_points (void)
{
  g_autofree const char **names = fault_list ();
  FAULT ("test.one");
  g_assert_false (FAULT_ERROR ("test.two"));
  g_assert_null (names[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fault/a_plain_build_has_no_points", test_a_plain_build_has_no_points);
  return g_test_run ();
}

#else

static gboolean
pass_both (void)
{
  FAULT ("test.one");
  puts ("behind one");
  fflush (stdout);
  FAULT_ABOUT ("test.about", "Jack");
  FAULT_ABOUT ("test.about", "Jill");
  gboolean failed = FAULT_ERROR ("test.two");
  puts (failed ? "two failed" : "two passed");
  return failed;
}

static void
run_child (const char *armed)
{
  g_setenv ("PRUNED_FAULT", armed, TRUE);
  g_test_trap_subprocess ("/fault/child", 0, 0);
  g_unsetenv ("PRUNED_FAULT");
}

/* Passes both points three times. Does nothing unless it is the child. */
static void
test_child (void)
{
  if (!g_test_subprocess ())
    return;
  for (int i = 0; i < 3; i++)
    pass_both ();
}

static void
test_points_list_themselves (void)
{
  g_autofree const char **names = fault_list ();
  g_assert_true (g_strv_contains (names, "test.one"));
  g_assert_true (g_strv_contains (names, "test.two"));
  for (guint i = 1; names[i] != NULL; i++)
    g_assert_cmpstr (names[i - 1], <, names[i]);
}

static void
test_kill_ends_the_process_at_the_point (void)
{
  run_child ("test.one:kill");
  g_test_trap_assert_failed ();
  g_test_trap_assert_stdout_unmatched ("*behind one*");
  run_child ("test.one:kill:3");
  g_test_trap_assert_failed ();
  g_test_trap_assert_stdout ("*behind one*behind one*");
  g_test_trap_assert_stdout_unmatched ("*behind one*behind one*behind one*");
}

static void
test_a_subject_has_passages_of_its_own (void)
{
  run_child ("test.about=Jill:kill:2");
  g_test_trap_assert_failed ();
  g_test_trap_assert_stdout ("*two passed*behind one*");
  g_test_trap_assert_stdout_unmatched ("*two passed*two passed*");
  run_child ("test.about=Nobody:kill");
  g_test_trap_assert_passed ();
}

static void
test_error_fails_the_nth_passage_only (void)
{
  run_child ("test.two:error:2");
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*two passed*two failed*two passed*");
  g_test_trap_assert_stdout_unmatched ("*two failed*two failed*");
}

static void
test_sleep_goes_on (void)
{
  run_child ("test.two:sleep=1");
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout_unmatched ("*two failed*");
}

static void
test_what_cannot_be_armed_aborts (void)
{
  static const char *const wrong[] = { "test.none:kill",  "test.one",        "test.one:explode",
                                       "test.one:kill:0", "test.one:kill:x", "test.one:sleep=x" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    run_child (wrong[i]);
    g_test_trap_assert_failed ();
    g_test_trap_assert_stderr ("*PRUNED_FAULT=*");
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fault/child", test_child);
  g_test_add_func ("/fault/points_list_themselves", test_points_list_themselves);
  g_test_add_func ("/fault/kill_ends_the_process_at_the_point",
                   test_kill_ends_the_process_at_the_point);
  g_test_add_func ("/fault/a_subject_has_passages_of_its_own",
                   test_a_subject_has_passages_of_its_own);
  g_test_add_func ("/fault/error_fails_the_nth_passage_only",
                   test_error_fails_the_nth_passage_only);
  g_test_add_func ("/fault/sleep_goes_on", test_sleep_goes_on);
  g_test_add_func ("/fault/what_cannot_be_armed_aborts", test_what_cannot_be_armed_aborts);
  return g_test_run ();
}

#endif
