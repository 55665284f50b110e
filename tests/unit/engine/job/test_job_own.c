/* A wrong job of one's own is refused alone, with its place. */
#include "support/own_jobs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ORDERS                                                                                     \
  "[retention orders.purge]\ntable = orders\nwhere = deleted_at < :T - interval '30 days'\n"

#define BY_COLUMN "[event E]\ntopic = t\nkey = person_id = id\nmatch = any\n"

static const OwnJobsCase REFUSED[] = {
  { "[retention]\ntable = t\nwehre = true\n",
    "wrong.conf:3: unknown key 'wehre' in [retention], did you mean 'where'?" },
  { "[retention]\ntable = t\nwhere = true\n\nwhere = false\n",
    "wrong.conf:5: 'where' in [retention] appears twice, first in line 3" },
  { "[retention]\ntable = t\nwhere = true; DROP TABLE t\n",
    "wrong.conf:3: where: ';' cannot stand in an expression" },
  { "[retention]\ntable = t\nwhere = true\nbatch = many\n",
    "wrong.conf:4: batch: 'many' is not valid, expected 1 to 1000000" },
  { "[retention]\ntable = t\nwhere = true\nset = a = 1\narchive = u\n",
    "wrong.conf:5: 'set' and 'archive' exclude each other: a job does one of them" },
  { "[retention]\ntable = t\nwhere\n",
    "wrong.conf:3: expected [section], key = value or # comment; if the value of 'table' goes on here: a key is one line" },
  { "[retention]\ntable = t\nwhere = true\n[rum]\nmode = apply\n",
    "wrong.conf:4: unknown section [rum]: a file of [run] jobs_dir has [retention NAME], "
    "[event NAME] and [erasure NAME]" },
  { "# nothing\n", "wrong.conf:1: there is no section [retention]" },
  { "[retention]\ntable = t\non = UserErasureRequest\n[event UserErasureRequested]\ntopic = t\n"
    "key = id\nmatch = any\n",
    "wrong.conf:3: on: there is no [event UserErasureRequest], did you mean "
    "'UserErasureRequested'?" },
  { "[retention]\ntable = t\non = MemberExpirySett\n",
    "wrong.conf:3: on: there is no [event MemberExpirySett]: write this section, with 'topic' and 'key'" },
  { "[retention]\ntable = t\non = MemberExpirySet\n",
    "wrong.conf:3: on: MemberExpirySet is an event of the program's own jobs and names no row of "
    "this table: write an [event] section with your topic, and a key" },
  { "[retention]\ntable = t\non = E\n[event E]\ntopic = t\nkeys = id\n",
    "wrong.conf:3: on: [event E] is refused: wrong.conf:6: unknown key 'keys' in [event E], did you mean 'key'?" },
  { "[retention]\ntable = t\non = E\n[event E]\ntopic = t\nkey = id\nmatch = any\ncancel_on = F\n",
    "wrong.conf:3: on: [event E] is refused: wrong.conf:8: cancel_on: there is no [event F]: write this section, with 'topic' and 'key'" },
  { "[retention]\ntable = t\non = E, F\n" BY_COLUMN "[event F]\ntopic = t\nkey = id\nmatch = any\n",
    "wrong.conf:3: on: [event E] and [event F] name rows by other columns: write a sentence for "
    "each" },
  { "[retention]\ntable = t\non = E\nwhere = true\nschedule = 0 3 * * *\n" BY_COLUMN,
    "wrong.conf:3: on: [event E] names rows by columns, so there are no ticks: write another "
    "sentence for 'schedule'" },
  { "[retention]\ntable = t\non = E\nwhere = true\nticks = on\n" BY_COLUMN,
    "wrong.conf:3: on: [event E] names rows by columns, so there are no ticks: write another "
    "sentence for 'ticks'" },
  { "[retention]\ntable = t\non = E\nwhere = true\nticks = off\n" BY_COLUMN, NULL },
  { "[retention]\ntable = t\non = E\n" BY_COLUMN
    "cancel_on = F\n[event F]\ntopic = t\nkey = id\nmatch = any\n",
    "wrong.conf:3: on: [event E] is refused: wrong.conf:4: cancel_on: [event F] names rows by "
    "other columns" },
  { "[retention]\ntable = t\nwhere = (true\n",
    "wrong.conf:3: where: a bracket is not closed: ')' is missing" },
};

static void
test_a_wrong_sentence_is_refused_with_its_line (void)
{
  own_jobs_sections (REFUSED, G_N_ELEMENTS (REFUSED));
}

static void
test_a_section_of_the_configuration_is_refused_alone_too (void)
{
  own_jobs_begin ();
  own_jobs_write ("../pruned.conf",
                  ORDERS "[retention x]\ntable = t\nwhere = (true\n[retention]\ntable = t\n"
                         "where = true\n[jobs.x]\nbatch = 5\n[jobs.orders.purge]\nbatch = 5\n");
  own_jobs_expect ("x", "x", "pruned.conf:6: where: a bracket is not closed: ')' is missing");
  own_jobs_expect ("[retention]", "[retention]",
                   "pruned.conf:7: [retention] has no name here, write [retention NAME]");
  g_assert_cmpstr (own_jobs_setting ("jobs.orders.purge.batch"), ==, "5 (pruned.conf:13)");
}

static void
test_a_name_is_used_once (void)
{
  own_jobs_begin ();
  own_jobs_write ("../pruned.conf", ORDERS);
  own_jobs_write ("twice.conf", "[retention members.remove_expired]\ntable = t\nwhere = true\n"
                                "[retention orders.purge]\ntable = t\nwhere = true\n");
  own_jobs_expect ("of the program", "members.remove_expired",
                   "twice.conf:1: the name 'members.remove_expired' is used twice, first at a job "
                   "of the program");
  own_jobs_expect ("of a section", "orders.purge",
                   "twice.conf:4: the name 'orders.purge' is used twice, first at pruned.conf:1");
  const Jobs *jobs = own_jobs_loaded ()->jobs;
  g_assert_nonnull (jobs_find (jobs, "members.remove_expired"));
  g_assert_null (jobs_find (jobs, "orders.purge"));
}

static void
test_a_folder_cannot_replace_a_job_of_the_program (void)
{
  own_jobs_begin ();
  own_jobs_write ("members.remove_expired/job.conf", "[job]\nstarts = tick\n");
  own_jobs_expect ("a folder", "members.remove_expired",
                   "members.remove_expired: the name 'members.remove_expired' is used twice, first "
                   "at a job of the program");
  g_assert_cmpstr (own_jobs_setting ("jobs.members.remove_expired.batch"), ==, "1000 (job.conf)");
}

static void
test_a_file_and_a_folder_of_one_name_and_two_sections_of_one_file (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  own_jobs_write (OWN_JOB ".conf",
                  "[retention]\ntable = t\nwhere = true\n[retention]\ntable = u\nwhere = true\n"
                  "[event E]\ntopic = t\nkey = id\n[event E]\ntopic = u\nkey = id\n");
  own_jobs_expect ("sections", OWN_JOB,
                   "scratch.remove.conf:4: the name 'scratch.remove' is used twice, first at "
                   "scratch.remove.conf:1");
  g_assert_cmpstr (own_jobs_refused ("event E"), ==,
                   "scratch.remove.conf:10: the name 'event E' is used twice, first at "
                   "scratch.remove.conf:7");
  own_jobs_write (OWN_JOB ".conf", "[retention]\ntable = t\nwhere = true\n");
  own_jobs_expect ("a folder", OWN_JOB,
                   "scratch.remove: the name 'scratch.remove' is used twice, first at "
                   "scratch.remove.conf:1");
}

/* GLib quotes the name of a file as the locale does. */
static void
assert_is_not_there (const char *job, const char *place)
{
  g_assert_cmpstr (own_jobs_load (), ==, NULL);
  const char *why = own_jobs_refused (job);
  g_autofree char *begin = g_strconcat (place, ": ", NULL);
  g_test_message ("%s", why);
  g_assert_true (g_str_has_prefix (why, begin));
  g_assert_true (g_str_has_suffix (why, "No such file or directory"));
}

static void
test_a_file_that_cannot_be_read_is_refused (void)
{
  own_jobs_begin ();
  const char *path = own_jobs_path ("a.conf");
  g_assert_cmpint (symlink (own_jobs_path ("nowhere"), path), ==, 0);
  assert_is_not_there ("a", "a.conf");
  g_assert_cmpint (unlink (path), ==, 0);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0); /* whoever reads it waits for a writer */
  own_jobs_expect ("a pipe", "a", "a.conf: this is no file");
}

static void
test_a_folder_without_job_conf_is_refused_if_it_looks_like_a_job (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  own_jobs_write ("shared/rows.sql", "SELECT 1\n");
  own_jobs_remove (OWN_JOB "/job.conf");
  own_jobs_expect ("no job.conf", OWN_JOB, "scratch.remove: there is no job.conf");
  g_assert_cmpuint (jobs_refused_count (own_jobs_loaded ()->jobs), ==, 1);
}

static void
test_a_name_must_be_fit_for_a_topic (void)
{
  own_jobs_begin ();
  own_jobs_write ("my job/job.conf", "[job]\nstarts = tick\n");
  own_jobs_write ("my file.conf", "[retention]\ntable = t\nwhere = true\n");
  own_jobs_expect ("a folder", "my job", "my job: this cannot be the name of a job");
  own_jobs_expect (
      "a file", "my file",
      "my file.conf:1: 'my file' cannot be a name: write letters, digits, '.', '_', '-', at most 150 of them");
}

/* Without the file or the folder, the job would do something else. */
static void
test_a_link_to_nothing_is_not_passed_over (void)
{
  static const char *const links[] = { "decide.sql", "lock", "restored" };
  for (guint i = 0; i < G_N_ELEMENTS (links); i++) {
    own_jobs_begin ();
    own_jobs_scratch ();
    g_autofree char *file = g_build_filename (OWN_JOB, links[i], NULL);
    g_assert_cmpint (symlink ("/nonexistent/there", own_jobs_path (file)), ==, 0);
    assert_is_not_there (OWN_JOB, file);
  }
  own_jobs_begin ();
  g_assert_cmpint (symlink ("/nonexistent/there", own_jobs_path ("linked")), ==, 0);
  assert_is_not_there ("linked", "linked");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/job_own/" #name, test_##name)
  ADD (a_wrong_sentence_is_refused_with_its_line);
  ADD (a_section_of_the_configuration_is_refused_alone_too);
  ADD (a_name_is_used_once);
  ADD (a_folder_cannot_replace_a_job_of_the_program);
  ADD (a_file_and_a_folder_of_one_name_and_two_sections_of_one_file);
  ADD (a_file_that_cannot_be_read_is_refused);
  ADD (a_folder_without_job_conf_is_refused_if_it_looks_like_a_job);
  ADD (a_name_must_be_fit_for_a_topic);
  ADD (a_link_to_nothing_is_not_passed_over);
  return config_test_run ();
}
