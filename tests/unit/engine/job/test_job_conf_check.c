/* What job.conf says in vain, and values that its keys do not take: refused with their line and the
 * nearest name. */
#include "engine/job/job_conf_check.h"

#include "support/own_jobs.h"

#define CONF "job.conf"
#define AT(line) "scratch.remove/job.conf:" #line ": "
#define BATCH "batch = 10"
#define DAY "day date desc;"
#define WHAT "[what removed]"
#define NULL_FIRST(type) ", so the first page needs NULL: write 'day " type " null'" READ_ALL
#define READ_ALL ", and let page.sql read all rows then"
#define COUNTS "counts_as_updated = true"

static const OwnJobsChange IN_VAIN[] = {
  { CONF, BATCH, "bacth = 10", AT (5) "unknown key 'bacth', did you mean 'batch'?" },
  { CONF, BATCH, "batch = ten", AT (5) "batch: 'ten' is not valid, expected 1 to 1000000" },
  { CONF, "due = day", "table = x", AT (8) "'table' in [job] appears twice, first in line 7" },
  { CONF, WHAT, "[waht removed]", AT (14) "unknown group 'waht removed'" },
  { CONF, WHAT, "[what]", AT (14) "what: the group needs a name" },
  { CONF, COUNTS, "count_as_updated = true",
    AT (15) "in [what removed]: unknown key 'count_as_updated', did you mean 'counts_as_updated'?" },
  { CONF, COUNTS, "counts_as_updated = yes", AT (15) "counts_as_updated: expected true or false" },
  { CONF, COUNTS, "outcome = MemberRemovd",
    AT (15) "unknown outcome 'MemberRemovd', did you mean 'MemberRemoved'?" },
  { CONF, WHAT, "[failed]\noutcome = RowKept\n[what removed]",
    AT (15) "unknown outcome 'RowKept'" },
  { CONF, COUNTS, "outcome = MemberKept\noutcome.reasn = x",
    AT (16) "outcome MemberKept has no field 'reasn', did you mean 'reason'?" },
  { CONF, COUNTS, "outcome = MemberKept\noutcome.reason = x\noutcome.member_id = one",
    AT (17) "outcome MemberKept: field member_id: not an integer" },
  { CONF, COUNTS, "outcome = MemberRemoved\noutcome.expires_at = tomorrow",
    AT (16) "outcome MemberRemoved: field expires_at: 'tomorrow' is not a date" },
  { CONF, COUNTS, "outcome = MemberKept\noutcome.member_id =",
    AT (16) "outcome MemberKept: field member_id: not an integer" },
  { CONF, WHAT, "[failed]\noutcome = MemberKept\noutcome.source_id = 1.5\n[what removed]",
    AT (16) "outcome MemberKept: field source_id: not an integer" },
  { CONF, COUNTS, "outcome.reason = x", AT (15) "outcome.reason: [what removed] has no outcome" },
  { CONF, WHAT, "[event MemberExpirySett]\nkey = id\n[what removed]",
    AT (14) "an event of your own has its [event] section in a file NAME.conf of jobs_dir, and `on` of [job] names it; unknown event 'MemberExpirySett', did you mean 'MemberExpirySet'?" },
  { CONF, WHAT, "[event MemberExpirySet]\nkeys = id\n[what removed]",
    AT (15) "in [event MemberExpirySet]: unknown key 'keys', did you mean 'key'?" },
  { CONF, "[what removed]\ncounts_as_updated = true\n", "[what remove]\n",
    "scratch.remove/apply/removed/: nothing would use it: job.conf has no group [what removed], "
    "did you mean 'remove'?" },
  { "page.sql", ":limit::int", ":limit",
    "scratch.remove/page.sql: parameter :limit has no cast, write :limit::type" },
};

static void
test_what_is_said_in_vain (void)
{
  own_jobs_changes (IN_VAIN, G_N_ELEMENTS (IN_VAIN));
}

static void
test_a_folder_without_its_page (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  own_jobs_remove (OWN_JOB "/page.sql");
  own_jobs_expect ("no page", OWN_JOB, "scratch.remove: no page.sql");
}

static const OwnJobsChange VALUES[] = {
  { CONF, DAY, "day date dsec;", AT (10) "cursor: unknown direction 'dsec', did you mean 'desc'?" },
  { CONF, DAY, "day;", AT (10) "cursor: 'day' is not 'name type [asc|desc|null]'" },
  { CONF, DAY, "day uuid;",
    AT (10) "cursor: no value of the type uuid is known to come before all others, so the first "
            "page needs NULL: write 'day uuid null'" READ_ALL },
  { CONF, DAY, "day text desc;",
    AT (10) "cursor: no value of the type text is known to come behind all others" NULL_FIRST (
        "text") },
  { CONF, DAY, "day varchar(9) desc;",
    AT (10) "cursor: no value of the type varchar(9) is known to come behind all others" NULL_FIRST (
        "varchar(9)") },
  { CONF, DAY, "day numeric(9,2);",
    AT (10) "cursor: no value of the type numeric(9,2) is known to come before all others" NULL_FIRST (
        "numeric(9,2)") },
  { CONF, DAY, "day time;",
    AT (10) "cursor: no value of the type time is known to come before all others" NULL_FIRST (
        "time") },
  { CONF, DAY, "day mood asc;",
    AT (10) "cursor: no value of the type mood is known to come before all others" NULL_FIRST (
        "mood") },
  { CONF, "starts = tick", "starts = tick; tikc",
    AT (4) "starts: unknown word 'tikc', did you mean 'tick'?" },
  { CONF, "arguments = cursor", "arguments = user_id bigitn; cursor",
    AT (11) "arguments: user_id has the unknown type 'bigitn', did you mean 'bigint'?" },
  { CONF, COUNTS, "log = inof: gone", AT (15) "log: unknown level 'inof', did you mean 'info'?" },
  { CONF, COUNTS, "log = gone", AT (15) "log: expected 'level: message'" },
  { CONF, BATCH, "retry_every_ms = ten",
    AT (5) "retry_every_ms: expected milliseconds, 0 to 31622400000" },
  { CONF, BATCH, "retry_every_ms = -1",
    AT (5) "retry_every_ms: expected milliseconds, 0 to 31622400000" },
  { CONF, BATCH, "settings = delay_ms; rnages",
    AT (5) "settings: unknown setting 'rnages', did you mean 'ranges'?" },
  { CONF, "starts = tick", "starts = parent\nschedule = 10 0 * * *",
    AT (5) "schedule: the job does not read it, because `starts` does not name tick" },
  /* these are well */
  { CONF, DAY, "day date null;", NULL },
  { CONF, DAY, "day date asc;", NULL },
  { CONF, DAY, "day uuid null;", NULL },
  { CONF, DAY, "day varchar(9);", NULL },
  { CONF, DAY, "day NUMERIC desc;", NULL },
  { CONF, DAY, "day mood null;", NULL },
  { CONF, "starts = tick", "starts = tick; parent", NULL },
  { CONF, "arguments = cursor", "arguments = user_id bigint; of uuid; any", NULL },
  { CONF, COUNTS, "log = debug: a: b", NULL },
  { CONF, BATCH, "retry_every_ms = 600000", NULL },
  { CONF, BATCH, "batch = 10\nsettings = ranges; batch", NULL },
  { CONF, BATCH, "max_rows = 7\nschedule = 10 0 * * *\nsettings =", NULL },
};

static void
test_values (void)
{
  own_jobs_changes (VALUES, G_N_ELEMENTS (VALUES));
}

static void
test_a_setting_with_a_value_is_read_whatever_else_is_named (void)
{
  own_jobs_begin ();
  own_jobs_scratch ();
  own_jobs_replace (OWN_JOB "/job.conf", BATCH, "batch = 7\nsettings = ranges");
  own_jobs_expect ("batch", OWN_JOB, NULL);
  g_assert_cmpstr (own_jobs_setting ("jobs.scratch.remove.batch"), ==, "7 (job.conf)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_conf_check/in_vain", test_what_is_said_in_vain);
  g_test_add_func ("/job_conf_check/page", test_a_folder_without_its_page);
  g_test_add_func ("/job_conf_check/values", test_values);
  g_test_add_func ("/job_conf_check/read",
                   test_a_setting_with_a_value_is_read_whatever_else_is_named);
  return config_test_run ();
}
