/* Rows that change with those of a try although no file returns them: docs/operations.md, "A run
 * that is held". PostgreSQL's counts are played. */
#include "engine/step/effects.h"

#include "support/steps.h"

#define COUNTS "deleted|updated|inserted|parted\n0|0|0|f"
#define BESIDE "rel|table|pos|deleted|updated|inserted|emptied\n"

static StepScene *scene;
static Effects effects;

/* The file deletes two rows of `orders`, and returns them; the counts are BEFORE and AFTER. */
static void
try_with (const char *before, const char *after)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PgRows) returned = played_rows ("key\n1\n2");
  Step *step = scene->step;
  const JobApply *file = &g_array_index (job_what (&scene->job, "removed")->apply, JobApply, 0);
  for (int i = 0; i < 3; i++)
    played_answer ("effects_counts", i == 0 ? COUNTS : "deleted|updated|inserted|parted\n2|0|0|f");
  played_answer ("effects_beside", before);
  played_answer ("effects_beside", after);
  effects_init (&effects, &scene->job);
  g_assert_true (effects_queue_first (step, &effects, &error));
  g_assert_true (effects_queue (step, &effects, file, &error) && pg_flush (step->pg, &error));
  g_assert_true (effects_take_first (step, &effects, &error));
  g_assert_true (effects_take (step, &effects, file, returned, TRUE, &error));
  g_assert_true (effects_settle (step, &effects, &error) && effects_end (step, &effects, &error));
  g_assert_no_error (error);
}

static void
begin (const char *rels)
{
  scene = steps_begin ("", NULL);
  steps_own_folder (scene, "id bigint");
  steps_own_file (scene, "removed", "orders", APPLY_DELETE);
  scene->job.built_in = FALSE;
  if (rels != NULL)
    played_answer ("effects_reach", rels);
}

static void
end (void)
{
  effects_clear (&effects);
  steps_end ();
}

static void
assert_beside (gint64 changed, const char *told)
{
  g_autofree char *text = json_text (effects.beside.counts);
  g_assert_cmpint (effects.beside.changed, ==, changed);
  g_assert_cmpstr (text, ==, told);
}

/* Counts of earlier transactions and tries are in PostgreSQL's, too: only what has grown is new. */
static void
test_what_no_file_has_returned_is_told_by_table (void)
{
  begin ("rels\n{5,7,8}");
  try_with (BESIDE "7|prod|-|0|4|0|f",
            BESIDE "5|orders|1|2|0|0|f\n7|prod|-|0|10|0|f\n8|log|-|0|0|2|f");
  assert_beside (6,
                 "{\"tables\":{\"log\":{\"inserted\":2},\"prod\":{\"changed\":6}},\"others\":6}");
  g_assert_cmpstr (played_bound ("effects_beside", "rels"), ==, "{5,7,8}");
  end ();
}

static void
test_rows_of_its_own_table_that_no_file_has_returned_count (void)
{
  begin ("rels\n{5}");
  try_with (BESIDE, BESIDE "5|orders|1|2|3|0|f");
  assert_beside (3, "{\"tables\":{\"orders\":{\"changed\":3}},\"others\":3}");
  end ();
}

/* Its partitions are one table; a row that moves to another of them is changed once. */
static void
test_partitions_count_as_their_table (void)
{
  begin ("rels\n{5,7,8}");
  try_with (BESIDE, BESIDE "5|orders|1|2|0|0|f\n7|prod|-|1|2|0|f\n8|prod|-|1|0|0|f");
  assert_beside (4, "{\"tables\":{\"prod\":{\"deleted\":2,\"changed\":2}},\"others\":4}");
  end ();
}

static void
test_where_nothing_leads_to_nothing_is_asked (void)
{
  begin ("rels\n{}");
  try_with (NULL, NULL);
  assert_beside (0, "{}");
  g_assert_null (strstr (played_asked (), "effects_beside"));
  end ();
}

/* What they insert is told by none of their statements. */
static void
test_what_built_in_jobs_insert_is_their_own (void)
{
  begin ("rels\n{7,8}");
  scene->job.built_in = TRUE;
  try_with (BESIDE, BESIDE "7|prod|-|0|6|0|f\n8|log|-|0|0|2|f");
  assert_beside (6, "{\"tables\":{\"prod\":{\"changed\":6}},\"others\":6}");
  end ();
}

/* An errand writes its leases into its table, and nothing tells that. */
static void
test_leases_are_no_changes (void)
{
  g_autoptr (GError) error = NULL;
  begin ("rels\n{5,7}");
  g_autoptr (PgRows) returned = played_rows ("n\n2");
  g_autoptr (GPtrArray) tables = g_ptr_array_new ();
  g_ptr_array_add (tables, (gpointer) "orders");
  played_answer ("effects_beside", BESIDE "5|orders|1|0|8|0|f");
  played_answer ("effects_beside", BESIDE "5|orders|1|3|20|0|f\n7|prod|-|4|0|0|f");
  Beside beside;
  g_assert_true (beside_begin_steps (&beside, &scene->step, 1, tables, &error));
  beside.leases = "orders";
  beside_told_rows (scene->step, "orders", APPLY_DELETE, returned);
  g_assert_true (beside_end_steps (&beside, &scene->step, 1, &error));
  beside_leave_steps (&beside, &scene->step, 1);
  g_autofree char *text = json_text (scene->step->counts);
  g_assert_cmpstr (
      text, ==, "{\"tables\":{\"orders\":{\"deleted\":1},\"prod\":{\"deleted\":4}},\"others\":5}");
  g_assert_cmpint (scene->step->rows, ==, 5);
  end ();
}

/* Of several runs: what counts for limits is known of each only when it is alone. */
static void
test_what_is_inserted_is_shared_if_it_divides (void)
{
  static const struct {
    const char *after, *share;
  } cases[] = { { BESIDE "8|log|-|0|0|4|f", "{\"tables\":{\"log\":{\"inserted\":2}}}" },
                { BESIDE "8|log|-|0|0|3|f", "{}" },
                { BESIDE "8|log|-|0|2|0|f", NULL },
                { BESIDE, "{}" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    begin ("rels\n{8}");
    try_with (BESIDE, cases[i].after);
    g_autoptr (json_t) share = beside_share (&effects.beside, 2);
    g_autofree char *text = share != NULL ? json_text (share) : NULL;
    g_assert_cmpstr (text, ==, cases[i].share);
    end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/beside/by_table", test_what_no_file_has_returned_is_told_by_table);
  g_test_add_func ("/beside/own", test_rows_of_its_own_table_that_no_file_has_returned_count);
  g_test_add_func ("/beside/partitions", test_partitions_count_as_their_table);
  g_test_add_func ("/beside/nothing", test_where_nothing_leads_to_nothing_is_asked);
  g_test_add_func ("/beside/built_in", test_what_built_in_jobs_insert_is_their_own);
  g_test_add_func ("/beside/leases", test_leases_are_no_changes);
  g_test_add_func ("/beside/shared", test_what_is_inserted_is_shared_if_it_divides);
  return config_test_run ();
}
