#include "engine/ledger/run.h"

#include "support/config_file.h"
#include "support/steps.h"

#include <string.h>

/* The row of a run of a folder with these columns of its cursor, read and written again. */
typedef struct {
  const char *columns, *cursor, *progress; /* PROGRESS NULL: of the version before */
  const char *place, *kept;                /* what is read; PLACE NULL: the first row */
  const char *written;                     /* the cursor again */
} Case;

static json_t *
json_of (const char *text)
{
  return text != NULL ? json_parse (text, strlen (text), NULL) : NULL;
}

static void
assert_json (const char *text, const char *wanted)
{
  g_autoptr (json_t) is = json_of (text), was = json_of (wanted);
  g_test_message ("%s, not %s", text, wanted);
  g_assert_true (is == NULL || was == NULL ? is == was : json_equal (is, was));
}

static void
assert_case (const Case *one)
{
  g_autofree char *place = NULL, *cursor = NULL, *kept = NULL;
  StepScene *scene = steps_begin ("", NULL);
  steps_own_folder (scene, one->columns);
  json_t *at = json_of (one->cursor);
  g_autoptr (json_t) column = json_of (one->progress);
  g_auto (RunProgress) progress = run_progress_read (&scene->job, &at, column);
  place = at != NULL ? json_text (at) : NULL;
  assert_json (place, one->place);
  run_progress_write (&scene->job, at, &progress, &cursor, &kept);
  assert_json (kept, one->kept);
  assert_json (cursor, one->written);
  if (at != NULL)
    json_decref (at);
  steps_end ();
}

#define RANGES "{\"until\":{\"id\":9},\"beside\":true}"

static void
test_a_row_is_read_and_written_again (void)
{
  static const Case cases[] = {
    { "id bigint", NULL, NULL, NULL, "{}", NULL },
    { "id bigint", "{\"id\":5}", "{}", "{\"id\":5}", "{}", "{\"id\":5}" },
    /* of the version before: its keys are no place */
    { "id bigint", "{\"id\":5,\"limit\":3,\"ranges\":" RANGES "}", NULL, "{\"id\":5}",
      "{\"limit\":3,\"ranges\":" RANGES "}", "{\"id\":5,\"limit\":3,\"ranges\":" RANGES "}" },
    { "id bigint", "{\"by_rows\":2}", NULL, NULL, "{\"by_rows\":2}", "{\"by_rows\":2}" },
    { "id bigint", "{\"id\":1,\"of\":\"id\",\"plan_gone\":\"{\"}", NULL, "{\"id\":1}",
      "{\"of\":\"id\",\"plan_gone\":\"{\"}", "{\"id\":1,\"of\":\"id\",\"plan_gone\":\"{\"}" },
    /* the version before has written after this one: it has done with the ranges */
    { "id bigint", "{\"id\":7,\"limit\":4}", "{\"limit\":3,\"ranges\":" RANGES "}", "{\"id\":7}",
      "{\"limit\":4}", "{\"id\":7,\"limit\":4}" },
    /* columns with the engine's names */
    { "limit bigint", "{\"limit\":5}", "{\"limit\":3,\"looks\":1}", "{\"limit\":5}",
      "{\"limit\":3}", "{\"limit\":5}" },
    { "limit bigint; looks bigint", "{\"limit\":5,\"looks\":6}", "{\"limit\":3,\"looks\":1}",
      "{\"limit\":5,\"looks\":6}", "{\"limit\":3,\"looks\":1}", "{\"limit\":5,\"looks\":6}" },
    { "plan_gone text", "{\"plan_gone\":\"x\"}", "{}", "{\"plan_gone\":\"x\"}", "{}",
      "{\"plan_gone\":\"x\"}" },
    /* the version before has overwritten the column: the run begins again */
    { "limit bigint", "{\"limit\":500}", NULL, NULL, "{}", "{}" },
    { "limit bigint", "{}", "{}", "{}", "{}", "{}" },
    { "limit bigint; id bigint", "{\"limit\":500,\"id\":4,\"systemic\":1}", NULL, NULL,
      "{\"systemic\":1}", "{\"systemic\":1}" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_case (&cases[i]);
}

static gboolean
take_step (Step *const *steps, guint n, gboolean *fits, GError **error)
{
  return step_fail (steps[0], error, PRUNED_FATAL, "no step");
}

static void
test_a_job_in_c_chooses_its_keys (void)
{
  static const JobCode code = { .step = take_step };
  StepScene *scene = steps_begin ("", NULL);
  scene->job.code = &code;
  scene->job.kind = job_kind_of (&code, NULL);
  json_t *at = json_of ("{\"looks\":2,\"limit\":3,\"stage\":\"rows\"}");
  g_auto (RunProgress) progress = run_progress_read (&scene->job, &at, NULL);
  g_assert_cmpint (progress.limit, ==, 3);
  g_assert_cmpint (progress.looks, ==, 0);
  g_assert_cmpint (json_integer_value (json_object_get (at, "looks")), ==, 2);
  json_decref (at);
  steps_end ();
}

static void
test_what_is_copied_is_not_changed (void)
{
  g_auto (RunProgress) one = { .limit = 3, .of = json_string ("id") };
  g_auto (RunProgress) copy = run_progress_copy (&one);
  run_progress_set (&copy.of, json_string ("id, day"));
  g_assert_cmpstr (json_string_value (one.of), ==, "id");
  run_progress_take (&one, &copy);
  g_assert_cmpstr (json_string_value (one.of), ==, "id, day");
  g_assert_null (copy.of);
  g_assert_cmpint (copy.limit, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run_progress/row", test_a_row_is_read_and_written_again);
  g_test_add_func ("/run_progress/coded", test_a_job_in_c_chooses_its_keys);
  g_test_add_func ("/run_progress/copy", test_what_is_copied_is_not_changed);
  return config_test_run ();
}
