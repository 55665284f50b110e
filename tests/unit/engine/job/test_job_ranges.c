/* `ranges` of a job whose runs cannot be divided: said with why when the settings are loaded. */
#include "engine/job/job_ranges.h"

#include "support/own_jobs.h"

#define AT(job) "[jobs." job "] ranges: "
#define NO_PAGES                                                                                   \
  "its steps are not pages of rows that go by themselves, so a run of it is not divided"

static void
test_jobs_of_the_program (void)
{
  static const char *const cases[][2] = {
    { "jobs.users.destroy.ranges=2", AT ("users.destroy") NO_PAGES },
    { "jobs.ci.delete_objects.ranges=2", AT ("ci.delete_objects") NO_PAGES },
    { "jobs.groups.adjourned_deletion.ranges=2",
      AT ("groups.adjourned_deletion") "the rows of its run are numbered (spacing), so it is not divided" },
    { "jobs.members.prune_deletions.ranges=2", AT ("members.prune_deletions") NO_PAGES },
    { "jobs.members.remove_expired.ranges=2", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    own_jobs_begin ();
    own_jobs_override (cases[i][0]);
    g_assert_cmpstr (own_jobs_load (), ==, cases[i][1]);
  }
}

static void
test_sentences (void)
{
  static const char *const cases[][2] = {
    { "where = true\nchildren = c",
      AT ("a") "rows of other tables go with its rows, in an order that ranges would break" },
    { "where = true\nchildren = auto",
      AT ("a") "rows of other tables go with its rows, in an order that ranges would break" },
    { "keep = 5 per a by b",
      AT ("a") "`keep` counts the rows of a group, so a run of it is not divided" },
    { "drop_partitions_older_than = 9 days",
      AT ("a") "partitions go one after the other, the oldest first" },
    { "where = true\nobject = s3:b column c", AT ("a") NO_PAGES },
    { "where = true", NULL },
    { "where = true\nset = a = 1", NULL },
    { "where = true\narchive = u", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text
        = g_strdup_printf ("[retention]\ntable = t\n%s\nranges = 2\n", cases[i][0]);
    own_jobs_begin ();
    own_jobs_write ("a.conf", text);
    g_test_message ("%s", cases[i][0]);
    g_assert_cmpstr (own_jobs_load (), ==, cases[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_ranges/program", test_jobs_of_the_program);
  g_test_add_func ("/job_ranges/sentences", test_sentences);
  return config_test_run ();
}
