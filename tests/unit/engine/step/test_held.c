/* The query about held rows is composed anew for the tables that have some: docs/operations.md,
 * "Rows that are held". */
#include "engine/step/held.h"

#include "support/steps.h"

/* The statement that asks TEXT: it is named by its text. NULL: there is none. */
static const PgStatement *
statement_of (const char *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1),
                  *name = g_strdup_printf ("src/engine/step/sql/held_missing.sql#%.20s", sum);
  return pg_statement_known (name);
}

/* Both texts have one g_str_hash. */
static void
test_each_text_is_a_statement (void)
{
  static const char *const texts[] = { "SELECT 'az' AS item", "SELECT 'c8' AS item" };
  g_assert_cmpuint (g_str_hash (texts[0]), ==, g_str_hash (texts[1]));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *made = g_strconcat ("sql\n", texts[i], NULL);
    StepScene *scene = steps_begin ("max_rows = 20\n", NULL);
    scene->run.holds = TRUE;
    played_answer ("held_missing", made);
    played_answer ("held_missing", NULL);
    scene->step->pg = played_pg ();
    g_assert_false (held_stay (scene->step, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
    g_assert_nonnull (statement_of (texts[i]));
    steps_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/held/texts", test_each_text_is_a_statement);
  return config_test_run ();
}
