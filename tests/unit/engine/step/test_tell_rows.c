/* What is told of all rows (`outcomes = all`), and what is too much of it for one bundle. */
#include "engine/step/tell.h"

#include "support/steps.h"

#include <string.h>

#define MOST_BYTES (128u << 20) /* of tell.c */
#define TOLD                                                                                       \
  "pos|table_name|action|keys\n"                                                                   \
  "1|members|deleted|[1, 2, null]\n"                                                               \
  "1|todos|updated|[\"a\"]"

static StepScene *
begin (const char *settings)
{
  StepScene *scene = steps_begin (settings, NULL);
  scene->step->bundle = bundle_new (STEPS_RUN, 0, STEPS_JOB, 0);
  return scene;
}

static void
end (StepScene *scene)
{
  g_clear_pointer (&scene->step->bundle, bundle_free);
  steps_end ();
}

static gboolean
tell (StepScene *scene, GError **error)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new ();
  g_ptr_array_add (steps, scene->step);
  return tell_rows (steps, error);
}

static void
test_each_row_is_a_message (void)
{
  g_autoptr (GError) error = NULL;
  StepScene *scene = begin ("outcomes = all\n");
  played_answer ("told", TOLD);
  g_assert_true (tell (scene, &error));
  g_assert_cmpuint (bundle_size (scene->step->bundle), ==, 3);
  g_assert_true (bundle_is_whole (scene->step->bundle, &error));
  g_assert_false (scene->step->too_wide);
  end (scene);
}

/* As a parameter it is twice as long, and PostgreSQL takes a gigabyte at most. The next try has
 * fewer rows. */
static void
test_a_bundle_that_is_too_large_cuts_the_page (void)
{
  static const struct {
    guint before;
    gboolean ok;
  } cases[] = { { MOST_BYTES / 2, TRUE }, { MOST_BYTES, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    StepScene *scene = begin ("outcomes = all\n");
    g_byte_array_set_size (scene->step->bundle->stored, cases[i].before);
    played_answer ("told", TOLD);
    g_assert_true (tell (scene, &error) == cases[i].ok);
    g_assert_true (scene->step->too_wide == !cases[i].ok);
    if (cases[i].ok)
      g_assert_no_error (error);
    else {
      g_assert_error (error, PRUNED_ERROR, PRUNED_RETRY);
      g_assert_nonnull (strstr (error->message, "what is told of its rows is 1342"));
      g_assert_nonnull (strstr (error->message, " bytes, at most 134217728"));
    }
    end (scene);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tell_rows/messages", test_each_row_is_a_message);
  g_test_add_func ("/tell_rows/too_large", test_a_bundle_that_is_too_large_cuts_the_page);
  return config_test_run ();
}
