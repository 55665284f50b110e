/* [erasure] sections that are refused, and the jobs that they ask. */
#include "engine/job/job_erasure.h"

#include "support/own_jobs.h"

#include <string.h>

#define ORDERS "[retention orders.erase]\ntable = orders\non = person\nkey = person_id = id\n"
#define PEOPLE "[retention people.erase]\ntable = people\non = person\nset = email = NULL\n"
#define HEAD "[erasure person]\ntopic = t\nkey = id\n"
#define ANY "match = any\n"
#define BOTH "jobs = orders.erase, people.erase\n"

/* TEXT is the file of the erasure, beside the two sentences. */
static void
load (const char *orders, const char *text)
{
  own_jobs_begin ();
  own_jobs_write ("a.conf", orders);
  own_jobs_write ("b.conf", PEOPLE);
  own_jobs_write ("wrong.conf", text);
  g_assert_null (own_jobs_load ());
}

static const OwnJobsCase CASES[] = {
  { HEAD ANY BOTH, NULL },
  { HEAD ANY, "wrong.conf:1: there is no 'jobs'" },
  { HEAD ANY "jobs =\n", "wrong.conf:5: jobs: the value is empty" },
  { HEAD ANY "jobs = orders.erase,, people.erase\n", "wrong.conf:5: jobs: a name is empty" },
  { HEAD ANY "jobs = orders.erase, people.erase, orders.erase\n",
    "wrong.conf:5: jobs: the job orders.erase twice" },
  { HEAD ANY "jobs = orders.erase, people.erse\n",
    "wrong.conf:5: jobs: there is no [retention people.erse], did you mean 'people.erase'?" },
  { "[erasure person]\ntopic = t\nkey = person_id = id\n" ANY BOTH,
    "wrong.conf:3: key: of an erasure it has paths only. Which column of a table it is says the job"
    " of the table: key = person_id = id" },
  { "[erasure person]\nkey = id\n" ANY BOTH, "wrong.conf:1: there is no 'topic'" },
  { "[erasure person]\ntopic = t\n" ANY BOTH, "wrong.conf:1: there is no 'key'" },
  { HEAD BOTH "match = type = a\njob = x\n",
    "wrong.conf:6: unknown key 'job' in [erasure person], did you mean 'jobs'?" },
  { HEAD ANY BOTH "[event other]\ntopic = t\nkey = id\n" ANY "jobs = people.erase\n", NULL },
  { HEAD ANY BOTH "[erasure again]\ntopic = t\ntype = person\nkey = id\n" ANY
                  "jobs = people.erase\n",
    NULL },
};

static void
test_sections (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    load (ORDERS, CASES[i].text);
    g_assert_cmpstr (own_jobs_refused ("event person"), ==, CASES[i].want);
    const Job *job = jobs_find (own_jobs_loaded ()->jobs, "person");
    g_assert_true ((job == NULL) == (CASES[i].want != NULL));
  }
}

static void
test_one_message_is_one_erasure (void)
{
  load (ORDERS, HEAD "match = kind = a\n" BOTH
                     "[erasure again]\ntopic = t\ntype = person\nkey = id\nmatch = kind = a\n"
                     "match = x = 1\njobs = people.erase\n"
                     "[erasure other]\ntopic = t\ntype = person\nkey = id\nmatch = kind = b\n"
                     "jobs = people.erase\n");
  g_assert_cmpstr (own_jobs_refused ("event again"), ==,
                   "wrong.conf:6: [erasure person] (wrong.conf:1) takes the same messages: an event"
                   " is one erasure, so name all jobs in its `jobs`");
  g_assert_cmpstr (own_jobs_refused ("event other"), ==,
                   "wrong.conf:18: jobs: [retention people.erase] does not expect it: write on ="
                   " other there");
}

static void
test_each_says_the_other (void)
{
  load ("[retention orders.erase]\ntable = orders\nwhere = false\n", HEAD ANY BOTH);
  g_assert_cmpstr (own_jobs_refused ("event person"), ==,
                   "wrong.conf:5: jobs: [retention orders.erase] does not expect it: write on ="
                   " person there");
  load (ORDERS, HEAD ANY "jobs = people.erase\n");
  g_assert_cmpstr (own_jobs_refused ("orders.erase"), ==,
                   "a.conf:3: on: [erasure person] does not ask this job: add orders.erase to its"
                   " `jobs`");
  g_assert_null (own_jobs_refused ("people.erase"));
}

static void
test_a_key_is_of_an_erasure_only (void)
{
  load ("[retention orders.erase]\ntable = orders\non = E\nkey = person_id = id\n[event E]\n"
        "topic = t\nkey = id\nmatch = any\n",
        HEAD ANY "jobs = people.erase\n");
  g_assert_cmpstr (own_jobs_refused ("orders.erase"), ==,
                   "a.conf:4: key: only a job of an [erasure] has one: that of an [event] stands in"
                   " its section");
}

static void
test_its_name_is_that_of_an_event_and_of_a_job (void)
{
  load (ORDERS, HEAD ANY BOTH "[retention person]\ntable = t\nwhere = true\n");
  g_assert_cmpstr (own_jobs_refused ("person"), ==,
                   "wrong.conf:6: the name 'person' is used twice, first at wrong.conf:1");
  g_assert_cmpstr (own_jobs_refused ("event person"), ==,
                   "wrong.conf:1: the name 'person' is used twice, first at wrong.conf:1");
  g_assert_null (jobs_find (own_jobs_loaded ()->jobs, "person"));
}

/* A sentence that is refused by its text is still one of the erasure's, which waits for it. */
static void
test_a_job_that_is_refused (void)
{
  load ("[retention orders.erase]\ntable = orders\non = person\nkey = person_id = id\nwere = x\n",
        HEAD ANY BOTH);
  g_assert_nonnull (own_jobs_refused ("orders.erase"));
  g_assert_null (own_jobs_refused ("event person"));
  const Job *job = jobs_find (own_jobs_loaded ()->jobs, "person");
  const SentenceEvent *part = sentence_event_of (job_erasure (job), "orders.erase");
  g_assert_cmpstr (part->columns[0], ==, "person_id");
}

static void
test_arguments (void)
{
  load ("[retention orders.erase]\ntable = orders\non = person\nkey = tenant = t, person_id = id\n",
        "[erasure person]\ntopic = t\nkey = id, n\n" ANY BOTH);
  const SentenceEvent *erasure = job_erasure (jobs_find (own_jobs_loaded ()->jobs, "person"));
  g_autofree char *values = g_strjoinv ("|", erasure->values);
  g_assert_cmpstr (values, ==, "id|n|t");
  g_autoptr (json_t) said = json_pack ("{s:s, s:s, s:s}", "id", "42", "n", "7", "t", "x"),
                     few = json_pack ("{s:s}", "id", "42");
  g_autoptr (json_t) orders = job_erasure_args (erasure->parts->pdata[0], said),
                     people = job_erasure_args (erasure->parts->pdata[1], said);
  g_autofree char *of_orders = json_text (orders), *of_people = json_text (people);
  g_assert_cmpstr (of_orders, ==, "{\"rows\":{\"tenant\":\"x\",\"person_id\":\"42\"}}");
  g_assert_cmpstr (of_people, ==, "{\"parts\":[\"42\",\"7\"],\"key\":\"[\\\"42\\\",\\\"7\\\"]\"}");
  g_assert_null (job_erasure_args (erasure->parts->pdata[0], few));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_erasure/sections", test_sections);
  g_test_add_func ("/job_erasure/one_message", test_one_message_is_one_erasure);
  g_test_add_func ("/job_erasure/each_says_the_other", test_each_says_the_other);
  g_test_add_func ("/job_erasure/key", test_a_key_is_of_an_erasure_only);
  g_test_add_func ("/job_erasure/name", test_its_name_is_that_of_an_event_and_of_a_job);
  g_test_add_func ("/job_erasure/refused_job", test_a_job_that_is_refused);
  g_test_add_func ("/job_erasure/arguments", test_arguments);
  return config_test_run ();
}
