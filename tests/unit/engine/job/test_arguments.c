/* Which arguments a run may have: docs/adding-a-job.md, "Arguments". */
#include "engine/job/arguments.h"

#include "support/jobs.h"

#include <string.h>

typedef struct {
  const char *args, *why; /* WHY: a part of the reason; NULL: they fit */
} Case;

static Job *
job_with (const char *const *names, const char *const *types, const char *unique_key)
{
  Job *job = g_new0 (Job, 1);
  job->name = "a.b";
  job->arguments = (char **)names;
  job->argument_types = (char **)types;
  job->unique_key = (char *)unique_key;
  job->cursor = g_array_new (FALSE, FALSE, sizeof (JobCursor));
  return job;
}

static void
free_job (Job *job)
{
  g_array_unref (job->cursor);
  g_free (job);
}

static char *
reason (char *(*refusal) (const Job *job, json_t *args), const Job *job, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) args = json_parse_exact (text, strlen (text), &error);
  g_assert_no_error (error);
  return refusal (job, args);
}

static char *
of_a_tick (const Job *job, json_t *args)
{
  return arguments_refusal (job, args, 10);
}

static void
assert_cases (char *(*refusal) (const Job *job, json_t *args), const Job *job, const Case *cases,
              guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *why = reason (refusal, job, cases[i].args);
    g_test_message ("%s: %s", cases[i].args, why != NULL ? why : "it fits");
    if (cases[i].why == NULL)
      g_assert_null (why);
    else {
      g_assert_nonnull (why);
      g_assert_nonnull (strstr (why, cases[i].why));
    }
  }
}

static const char *const NAMES[] = { "user_id", "n", "at", "flag", "any", NULL };
static const char *const TYPES[] = { "bigint", "numeric", "timestamptz", "boolean", "", NULL };

static void
test_a_tick (void)
{
  static const Case cases[] = {
    { "{\"user_id\":7}", NULL },
    { "{\"user_id\":7,\"n\":1.5,\"at\":\"2026-11-21T00:00:00Z\",\"flag\":true,\"any\":[1]}", NULL },
    { "{\"user_id\":9223372036854775807}", NULL },
    { "{\"user_id\":7,\"n\":12345678901234567890.123}", NULL },
    { "{\"user_id\":1.0}", NULL },
    { "{\"user_id\":7,\"flag\":null}", NULL }, /* not given */
    { "{\"user_id\":9223372036854775808}", "argument user_id: expected a value of type bigint" },
    { "{\"user_id\":1.5}", "argument user_id: expected a value of type bigint, got 1.5" },
    { "{\"user_id\":true}", "argument user_id: expected a value of type bigint, got true" },
    { "{\"user_id\":\"7\"}", "argument user_id: expected a value of type bigint, got \"7\"" },
    { "{\"user_id\":7,\"at\":\"yesterday\"}", "argument at: expected a value of type timestamptz" },
    { "{\"user_id\":7,\"flag\":\"maybe\"}", "argument flag: expected a value of type boolean" },
    { "{\"user_id\":7,\"other\":1}", "unknown argument other" },
    { "{\"user_id\":7,\"slot\":1}", "unknown argument slot" },
    { "{}", "argument user_id is missing: the job's unique key is made of it" },
    { "{\"user_id\":null}", "argument user_id is missing" },
  };
  Job *job = job_with (NAMES, TYPES, "a.b:{user_id}");
  jobs_in_force ("");
  assert_cases (of_a_tick, job, cases, G_N_ELEMENTS (cases));
  jobs_in_force_end ();
  free_job (job);
}

/* Without a type anything fits; of a key it must be a number or a text. */
static void
test_a_key_of_any_type (void)
{
  static const char *const names[] = { "*", NULL }, *const types[] = { "", NULL };
  static const Case cases[] = {
    { "{\"x\":1,\"y\":[1]}", NULL },
    { "{\"x\":\"a\"}", NULL },
    { "{\"x\":[1]}", "argument x: a unique key is made of a number or a text" },
    { "{\"x\":{}}", "argument x: a unique key is made of a number or a text" },
    { "{\"x\":1,\"slot\":1}", "unknown argument slot" },
  };
  Job *job = job_with (names, types, "a.b:{x}");
  jobs_in_force ("");
  assert_cases (of_a_tick, job, cases, G_N_ELEMENTS (cases));
  jobs_in_force_end ();
  free_job (job);
}

/* A parent can pass what a tick cannot; declared types hold for both. */
static void
test_a_child_and_a_run (void)
{
  static const Case cases[] = {
    { "{\"user_id\":7,\"other\":1,\"slot\":2}", NULL },
    { "{}", NULL },
    { "{\"user_id\":\"seven\"}", "argument user_id: expected a value of type bigint" },
    { "[]", "args is not a JSON object" },
    { "7", "args is not a JSON object" },
  };
  Job *job = job_with (NAMES, TYPES, "a.b:{user_id}");
  jobs_in_force ("");
  assert_cases (arguments_child_refusal, job, cases, G_N_ELEMENTS (cases));
  assert_cases (arguments_run_refusal, job, cases, G_N_ELEMENTS (cases));
  jobs_in_force_end ();
  free_job (job);
}

/* `cursor` has columns of the job's cursor, and values of their types, texts included. */
static void
test_a_cursor (void)
{
  static const char *const names[] = { "cursor", NULL }, *const types[] = { "", NULL };
  static const Case cases[] = {
    { "{\"cursor\":{\"day\":\"2026-11-21\",\"id\":7}}", NULL },
    { "{\"cursor\":{\"id\":7}}", NULL },
    { "{\"cursor\":{}}", NULL },
    { "{\"cursor\":null}", NULL },
    { "{\"cursor\":{\"id\":null}}", NULL },
    { "{\"cursor\":{\"id\":\"x\"}}", "argument cursor: id is not of type bigint" },
    { "{\"cursor\":{\"day\":\"2026-02-30\"}}", "argument cursor: day is not of type date" },
    { "{\"cursor\":{\"other\":1}}", "argument cursor: the job's cursor has no column other" },
    { "{\"cursor\":[1]}", "argument cursor: [1] is not an object with day date, id bigint" },
  };
  const JobCursor columns[]
      = { { .name = "day", .type = "date" }, { .name = "id", .type = "bigint" } };
  Job *job = job_with (names, types, NULL);
  g_array_append_vals (job->cursor, columns, G_N_ELEMENTS (columns));
  jobs_in_force ("");
  assert_cases (of_a_tick, job, cases, G_N_ELEMENTS (cases));
  jobs_in_force_end ();
  free_job (job);
}

static void
test_how_long_they_may_be (void)
{
  static const struct {
    const char *setting;
    gsize len;
    gboolean fits;
  } cases[] = { { "", 65536, TRUE },
                { "", 65537, FALSE },
                { "[runs]\nmax_args_bytes = 2000\n", 2000, TRUE },
                { "[runs]\nmax_args_bytes = 2000\n", 2001, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    jobs_in_force (cases[i].setting);
    g_autofree char *why = arguments_size_refusal (in_force_config (), cases[i].len);
    g_assert_true ((why == NULL) == cases[i].fits);
    g_assert_true (why == NULL || g_str_has_prefix (why, "args too large: "));
    jobs_in_force_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arguments/tick", test_a_tick);
  g_test_add_func ("/arguments/key", test_a_key_of_any_type);
  g_test_add_func ("/arguments/child", test_a_child_and_a_run);
  g_test_add_func ("/arguments/cursor", test_a_cursor);
  g_test_add_func ("/arguments/length", test_how_long_they_may_be);
  return config_test_run ();
}
