/* A page is read once in a transaction of several runs: docs/design.md, "The path" (look). What was
 * found for a run is used, unless a step before it had one of its rows. PostgreSQL's answers are
 * played. */
#include "engine/step/find.h"

#include "engine/step/look.h"
#include "support/steps.h"

static StepScene *scene;
static Run other;

/* Two runs of a job with 3 rows a page. */
static void
begin (void)
{
  scene = steps_begin ("batch = 3\ndelay_ms = 0\n", "{\"id\":10}");
  steps_own_folder (scene, "id bigint");
  scene->step->pages = found_pages_new (5);
  other = scene->run;
  other.run_id = (char *)"00000000-0000-0000-0000-000000000002";
  other.cursor = json_pack ("{s:i}", "id", 20);
}

static void
end (void)
{
  json_decref (other.cursor);
  found_pages_free (scene->step->pages);
  steps_end ();
}

static void
finds (Step *step, const char *keys)
{
  g_autoptr (GError) error = NULL;
  Page page = { 0 };
  g_assert_true (find_page (step, &page, &error));
  g_assert_no_error (error);
  g_autofree char *found = array_of_texts (page.keys);
  g_assert_cmpstr (found, ==, keys);
  page_clear (&page);
}

/* The run of the scene, and the other one. *STEPS gets what has ended. */
static void
look (GPtrArray *steps, guint heavy)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) rest = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  g_ptr_array_add (runs, &scene->run);
  g_ptr_array_add (runs, &other);
  Look all = { .pg = scene->step->pg,
               .prefix = "p",
               .steps = steps,
               .pages = scene->step->pages,
               .heavy = rest,
               .job = &scene->job };
  g_assert_true (look_at_pages (&all, runs, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (rest), ==, heavy);
}

static void
test_what_was_looked_at_is_not_read_again (void)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  begin ();
  played_answer ("page", "key|id\n11|11\n12|12");
  played_answer ("page", "key|id");
  look (steps, 1);
  g_assert_cmpuint (steps->len, ==, 1);
  g_assert_cmpstr (played_asked (), ==, "page page");
  finds (scene->step, "{11,12}");
  g_assert_cmpstr (played_asked (), ==, "page page");
  played_answer ("page", "key|id\n13|13");
  finds (scene->step, "{13}"); /* it was used */
  g_assert_cmpstr (played_asked (), ==, "page page page");
  g_ptr_array_set_size (steps, 0);
  end ();
}

static void
test_equal_questions_are_asked_once (void)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  begin ();
  json_object_set_new (other.cursor, "id", json_integer (10));
  played_answer ("page", "key|id\n11|11");
  look (steps, 2);
  finds (scene->step, "{11}");
  g_assert_cmpstr (played_asked (), ==, "page");
  end ();
}

static void
test_a_row_that_an_earlier_step_had_is_not_believed (void)
{
  g_autoptr (GError) error = NULL;
  for (guint below = 0; below < 2; below++) {
    begin ();
    g_autoptr (Step) before = step_new (scene->step->pg, &other, "p", NULL, NULL);
    before->pages = scene->step->pages;
    before->own_below = below;
    Page page = { 0 }, had = { .keys = g_ptr_array_new () };
    played_answer ("page", "key|id\n11|11\n12|12");
    g_assert_true (find_one (find_for (scene->step), &page, &error));
    found_pages_keep (scene->step->pages, &scene->run, &page);
    g_ptr_array_add (had.keys, (gpointer)(below > 0 ? "1" : "12"));
    find_kept_used (before, &had);
    g_ptr_array_unref (had.keys);
    played_answer ("page", "key|id\n13|13");
    finds (scene->step, "{13}");
    g_assert_cmpstr (played_asked (), ==, "page page");
    end ();
  }
}

/* Five keys are kept, of all runs, and a step with a lower limit takes no more than that. */
static void
test_no_more_is_kept_and_used_than_there_is_room_for (void)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free);
  begin ();
  played_answer ("page", "key|id\n11|11\n12|12\n13|13");
  played_answer ("page", "key|id\n21|21\n22|22\n23|23");
  look (steps, 2);
  g_autoptr (Step) step = step_new (scene->step->pg, &other, "p", NULL, NULL);
  step->pages = scene->step->pages;
  played_answer ("page", "key|id\n24|24");
  finds (step, "{24}");
  scene->run.progress.limit = 2;
  played_answer ("page", "key|id\n11|11\n12|12\n13|13");
  finds (scene->step, "{11,12}");
  g_assert_cmpstr (played_asked (), ==, "page page page page");
  end ();
}

#define ADD(test) g_test_add_func ("/find/" #test, test_##test)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (what_was_looked_at_is_not_read_again);
  ADD (equal_questions_are_asked_once);
  ADD (a_row_that_an_earlier_step_had_is_not_believed);
  ADD (no_more_is_kept_and_used_than_there_is_room_for);
  return config_test_run ();
}
