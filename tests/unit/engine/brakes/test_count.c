/* What counts as a row of a run: docs/choices.md, "Limits". */
#include "engine/brakes/count.h"

#include <string.h>

static json_t *
result_of (const char *text)
{
  return text != NULL ? json_parse (text, strlen (text), NULL) : NULL;
}

static void
test_rows_of_the_jobs_own_table (void)
{
  static const struct {
    const char *result;
    gint64 rows;
  } cases[] = { { NULL, 0 },
                { "{}", 0 },
                { "{\"updated_rows\":7,\"removed\":7}", 7 },
                { "{\"updated_rows\":7,\"below\":3}", 10 },
                { "{\"below\":3}", 3 },
                { "{\"status\":\"completed\",\"kept\":9}", 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (json_t) result = result_of (cases[i].result);
    g_assert_cmpint (count_own_rows (result), ==, cases[i].rows);
  }
}

/* A row counts once, the child that it starts once more, and those that went below it as they did
 * on average, rounded up. */
static void
test_how_many_rows_one_row_can_take_along (void)
{
  static const struct {
    gboolean children;
    gint64 own, below, each;
  } cases[] = {
    { FALSE, 10, 0, 1 },  { TRUE, 10, 0, 2 },  { FALSE, 10, 10, 2 }, { FALSE, 10, 11, 3 },
    { FALSE, 10, 25, 4 }, { TRUE, 10, 25, 5 }, { FALSE, 0, 0, 1 },   { FALSE, 0, 3, 4 },
  };
  const PgStatement *some = GINT_TO_POINTER (1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Job job = { .children = cases[i].children ? some : NULL };
    g_assert_cmpint (count_each (&job, cases[i].own, cases[i].below), ==, cases[i].each);
  }
}

/* Of a job that changes no other rows there are none, whatever children it has placed. */
static void
test_rows_of_other_tables_before_a_step (void)
{
  static const struct {
    gboolean below;
    gint64 done;
    const char *result;
    gint64 rows;
  } cases[] = { { TRUE, 30, "{\"updated_rows\":10,\"below\":5}", 15 },
                { TRUE, 10, "{\"updated_rows\":10}", 0 },
                { TRUE, 0, NULL, 0 },
                { FALSE, 20, "{\"updated_rows\":10}", 0 },
                { FALSE, 20, "{\"updated_rows\":10,\"others\":9}", 9 } };
  const PgStatement *some = GINT_TO_POINTER (1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Job job = { .below = cases[i].below ? some : NULL };
    g_autoptr (json_t) result = result_of (cases[i].result);
    Run run = { .rows_done = cases[i].done, .result = result };
    const Step step = { .job = &job, .run = &run };
    g_assert_cmpint (count_below_before (&step), ==, cases[i].rows);
  }
}

/* No plan knows the rows that triggers change. Those of a step that was rolled back are known: they
 * are none of its own. */
static void
test_rows_that_only_a_try_has_shown (void)
{
  static const struct {
    gint64 below, rows_counted, below_counted, rows, below_all;
  } cases[] = { { 0, 30, 9, 30, 9 },
                { 100, 30, 9, 130, 109 },
                { 100, 230, 209, 230, 209 }, /* a plan of all pages knows more */
                { 100, 150, 29, 230, 109 } };
  const Job job = { 0 };
  g_autoptr (json_t) result = result_of ("{\"updated_rows\":10,\"others\":9}");
  Run run = { .rows_done = 19, .result = result };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Step step = { .job = &job, .run = &run, .below = cases[i].below };
    RunCount count = { .rows = cases[i].rows_counted, .below = cases[i].below_counted };
    count_add_seen (&step, &count);
    g_assert_cmpint (count.rows, ==, cases[i].rows);
    g_assert_cmpint (count.below, ==, cases[i].below_all);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/count/own", test_rows_of_the_jobs_own_table);
  g_test_add_func ("/count/each", test_how_many_rows_one_row_can_take_along);
  g_test_add_func ("/count/below", test_rows_of_other_tables_before_a_step);
  g_test_add_func ("/count/seen", test_rows_that_only_a_try_has_shown);
  return g_test_run ();
}
