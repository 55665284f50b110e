/* What the audit leaves out of rows is asked when a job is loaded, and by `pruned check`: a
 * question that fails is a finding, and not the answer that nothing is left out. */
#include "cli/check/check.h"

#include "support/catalogue.h"
#include "support/own_jobs.h"

static Pg *pg;

static char *
found (void (*look) (Check *check), gboolean *away)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  catalogue_begin ();
  own_jobs_expect ("it is loaded", OWN_JOB, NULL);
  g_auto (Check) check;
  check_begin (&check, own_jobs_loaded (), pg);
  check.job = jobs_find (own_jobs_loaded ()->jobs, OWN_JOB);
  played_refuse ("unrecorded", "57014", "canceling statement due to statement timeout");
  look (&check);
  *away = check.away;
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < check.findings->len; i++) {
    const CheckFinding *one = check.findings->pdata[i];
    g_string_append_printf (all, "%s %s: %s", one->level, one->check, one->detail);
  }
  return g_string_free (g_steal_pointer (&all), FALSE);
}

static void
test_a_question_that_fails (void)
{
  void (*const looks[]) (Check *) = { check_lost, check_recorded };
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    gboolean away;
    g_autofree char *said = found (looks[i], &away);
    g_assert_cmpstr (
        said, ==,
        "error record: could not be checked: canceling statement due to statement timeout [57014]");
    g_assert_false (away);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/check_recorded/a_question_that_fails", test_a_question_that_fails);
  PgSettings settings = { .url = "", .app_schema = "public", .name = "test" };
  pg = pg_new (&settings);
  int failed = config_test_run ();
  pg_free (pg);
  return failed;
}
