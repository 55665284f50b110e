/* What a whole try has changed, and which keys its own file may return: docs/adding-a-job.md, "What
 * the engine does not believe". */
#include "engine/step/effects.h"

#include "support/steps.h"

#define COUNTS "deleted|updated|inserted|parted\n"

static StepScene *scene;

static void
begin (void)
{
  scene = steps_begin ("", NULL);
  steps_own_folder (scene, "id bigint");
  steps_own_file (scene, "removed", "orders", APPLY_DELETE);
}

static const JobApply *
own_file (void)
{
  return &g_array_index (job_what (&scene->job, "removed")->apply, JobApply, 0);
}

/* The file has deleted two rows and returned them. */
static gboolean
end_with (const char *counts, const char *known, GError **error)
{
  Step *step = scene->step;
  Effects effects;
  g_autoptr (PgRows) returned = played_rows ("key\n1\n2");
  effects_init (&effects, &scene->job);
  played_answer ("effects_counts", COUNTS "5|0|0|f");
  played_answer ("effects_counts", COUNTS "7|0|0|f");
  played_answer ("effects_counts", counts);
  played_answer ("effects_doubt", known);
  g_assert_true (effects_queue_first (step, &effects, error));
  g_assert_true (effects_queue (step, &effects, own_file (), error) && pg_flush (step->pg, error));
  g_assert_true (effects_take_first (step, &effects, error));
  g_assert_true (effects_take (step, &effects, own_file (), returned, TRUE, error));
  gboolean ok = effects_settle (step, &effects, error) && effects_end (step, &effects, error);
  effects_clear (&effects);
  return ok;
}

/* Rows of the job's own table that go only then are in no audit. */
static void
test_what_was_deferred_is_counted (void)
{
  static const struct {
    const char *counts, *known;
    gboolean fits, warns;
  } cases[] = {
    { COUNTS "7|0|0|f", NULL, TRUE, FALSE },
    { COUNTS "7|3|3|f", NULL, TRUE, FALSE },
    { COUNTS "8|0|0|f", "there|counted|touches\nt|t|f", FALSE, FALSE },
    { COUNTS "8|0|0|f", "there|counted|touches\nt|t|t", TRUE, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    begin ();
    g_test_message ("%u", i);
    g_assert_cmpint (end_with (cases[i].counts, cases[i].known, &error), ==, cases[i].fits);
    g_assert_cmpint (scene->step->blocked, ==, !cases[i].fits);
    g_assert_cmpuint (scene->step->logs->len, ==, cases[i].warns ? 1 : 0);
    g_assert_true (
        g_str_has_prefix (played_asked (), "effects_counts effects_counts effects_deferred "));
    steps_end ();
  }
}

/* It is at fault, and not the file. */
static void
test_what_a_deferred_constraint_refuses_is_a_fault_of_the_rows (void)
{
  g_autoptr (GError) error = NULL;
  begin ();
  played_refuse ("effects_deferred", "23503", "still referenced");
  g_assert_false (end_with (COUNTS "7|0|0|f", NULL, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_DATA);
  g_assert_cmpstr (pg_sqlstate (scene->step->pg), ==, "23503");
  g_assert_false (scene->step->blocked);
  steps_end ();
}

/* Several runs are done as one: which of them it was is found out alone, and nobody is blocked. */
static void
test_a_doubt_about_several_runs_is_settled_alone (void)
{
  g_autoptr (GError) error = NULL;
  begin ();
  scene->step->many = TRUE;
  g_assert_false (end_with (COUNTS "8|0|0|f", "there|counted|touches\nt|t|f", &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_BUSY);
  g_assert_false (scene->step->blocked);
  steps_end ();
}

/* The keys 1, 2 and 4 were decided as this word, 3 as another. */
static void
test_the_own_file_returns_decided_keys_once (void)
{
  static const struct {
    const char *returned;
    ApplyKind kind;
    gboolean fits;
  } cases[] = {
    { "key\n1\n2\n4", APPLY_DELETE, TRUE },
    { "key\n4\n1\n2", APPLY_DELETE, TRUE },
    { "key\n2", APPLY_DELETE, TRUE }, /* the others were refused */
    { "key", APPLY_DELETE, TRUE },
    { "key\n3", APPLY_DELETE, FALSE },
    { "key\n1\n5", APPLY_DELETE, FALSE },
    { "key\n1\n1", APPLY_DELETE, FALSE },
    { "key\n1\n1", APPLY_UPDATE, FALSE },
    { "key\n1\n2\n4\n4", APPLY_DELETE, FALSE },
    { "key\n1\n2\n4\n4", APPLY_INSERT, TRUE },
    { "key\n1\n3", APPLY_INSERT, FALSE },
  };
  const int removed[] = { 0, 1, 3 };
  g_autoptr (GArray) which = g_array_new (FALSE, FALSE, sizeof (int));
  g_array_append_vals (which, removed, G_N_ELEMENTS (removed));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    begin ();
    JobApply file = *own_file ();
    file.kind = cases[i].kind;
    g_autoptr (PgRows) decided = played_rows ("key|what\n1|removed\n2|removed\n3|kept\n4|removed"),
                       returned = played_rows (cases[i].returned);
    g_test_message ("%u", i);
    g_assert_cmpint (effects_are_decided (scene->step, &file, returned, decided, which, &error), ==,
                     cases[i].fits);
    g_assert_cmpint (scene->step->blocked, ==, !cases[i].fits);
    steps_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/effects/deferred", test_what_was_deferred_is_counted);
  g_test_add_func ("/effects/refused",
                   test_what_a_deferred_constraint_refuses_is_a_fault_of_the_rows);
  g_test_add_func ("/effects/many", test_a_doubt_about_several_runs_is_settled_alone);
  g_test_add_func ("/effects/keys", test_the_own_file_returns_decided_keys_once);
  return config_test_run ();
}
