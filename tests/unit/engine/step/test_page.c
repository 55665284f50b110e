/* A whole step of a small folder of one's own, from its page to its commit: docs/design.md, "The
 * path", and docs/jobs/README.md, 2 to 5. PostgreSQL's answers are played. */
#include "engine/step/page.h"

#include "engine/outbox/publish.h"
#include "engine/step/pace.h"
#include "support/steps.h"

#define COUNTS "deleted|updated|inserted|parted\n"
/* A try of the page: what it asks once it has decided. */
#define TRY "SAVEPOINT page decide_all effects_counts 10-orders effects_counts"
#define STANDS " effects_deferred effects_counts"

static StepScene *scene;
static Bundle *bundle;
static Publisher *publisher;
static Transaction transaction;

/* A step of a job that deletes from `orders`, 3 rows a page. */
static void
begin (const char *cursor)
{
  g_autoptr (GError) error = NULL;
  scene = steps_begin ("batch = 3\ndelay_ms = 0\n", cursor);
  steps_own_folder (scene, "id bigint");
  steps_own_file (scene, "removed", "orders", APPLY_DELETE);
  bundle = bundle_new (STEPS_RUN, 0, STEPS_JOB, 0);
  publisher = publisher_new (NULL, "p");
  scene->step->bundle = bundle;
  g_assert_true (transaction_begin (&transaction, publisher, scene->step->pg, &error));
  pace_begin (&scene->step, 1);
}

static void
end (void)
{
  publisher_abandon (publisher, bundle);
  bundle_free (bundle);
  publisher_free (publisher);
  steps_end ();
}

/* The rows FROM to TO of a table whose keys are its ids. */
static char *
rows_of (const char *columns, int from, int to, const char *further)
{
  GString *rows = g_string_new (columns);
  for (int i = from; i <= to; i++)
    g_string_append_printf (rows, "\n%d%s", i, further);
  return g_string_free (rows, FALSE);
}

static void
answer_page (int from, int to)
{
  GString *rows = g_string_new ("key|id");
  for (int i = from; i <= to; i++)
    g_string_append_printf (rows, "\n%d|%d", i, i);
  played_answer ("page", rows->str);
  g_string_free (rows, TRUE);
}

/* A try of the keys FROM to TO. */
static void
answer_decision (int from, int to)
{
  g_autofree char *decided = rows_of ("key|what", from, to, "|removed");
  played_answer ("decide_all", decided);
  played_answer ("effects_counts", COUNTS "0|0|0|f");
}

/* N rows are deleted in it, of these keys. */
static void
answer_deletion (int from, int to)
{
  g_autofree char *returned = rows_of ("key", from, to, ""),
                  *counts = g_strdup_printf (COUNTS "%d|0|0|f", to - from + 1);
  played_answer ("10-orders", returned);
  played_answer ("effects_counts", counts);
  played_answer ("effects_counts", counts);
}

static gint64
count (const char *counter)
{
  return json_integer_value (json_object_get (scene->step->counts, counter));
}

static void
applies (void)
{
  g_autoptr (GError) error = NULL;
  const gboolean ok = page_apply (scene->step, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
}

/* What the step has gathered is committed with the run's row, last of all. */
static void
commits (const char *state, const char *rows, const char *cursor)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_ptr_array_add (steps, scene->step);
  g_assert_true (steps_settle (steps, publisher, &error)
                 && transaction_commit (&transaction, &error));
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (played_asked (), " outbox_put advance COMMIT"));
  g_assert_cmpstr (played_bound ("advance", "run_id"), ==, "{" STEPS_RUN "}");
  g_assert_cmpstr (played_bound ("advance", "step"), ==, "{1}");
  g_assert_cmpstr (played_bound ("advance", "state"), ==, state);
  g_assert_cmpstr (played_bound ("advance", "rows"), ==, rows);
  g_assert_cmpstr (played_bound ("advance", "cursor"), ==, cursor);
  g_assert_cmpuint (bundle_size (bundle), ==, 1); /* RunFinished, or the next step's message */
}

static void
test_the_last_page_ends_the_run (void)
{
  begin ("{\"id\":10}");
  answer_page (11, 13);
  answer_decision (11, 13);
  answer_deletion (11, 13);
  applies ();
  g_assert_cmpstr (played_asked (), ==,
                   "BEGIN page quarantine_entries " TRY STANDS " RELEASE page");
  g_assert_cmpstr (played_bound ("page", "limit"), ==, "4"); /* one more: is there a next page? */
  g_assert_cmpstr (played_bound ("page", "cursor.id"), ==, "10");
  g_assert_cmpstr (played_bound ("10-orders", "key"), ==, "{11,12,13}");
  g_assert_cmpint (count ("removed"), ==, 3);
  g_assert_cmpint (count ("updated_rows"), ==, 3);
  g_assert_cmpint (scene->step->rows, ==, 3);
  commits ("{finished}", "{3}", "{NULL}");
  end ();
}

/* The row behind it is only looked at. */
static void
test_a_page_before_the_last_goes_on_behind_it (void)
{
  begin (NULL);
  answer_page (1, 4);
  answer_decision (1, 3);
  answer_deletion (1, 3);
  applies ();
  g_assert_cmpstr (played_bound ("10-orders", "key"), ==, "{1,2,3}");
  g_assert_true (scene->step->continues);
  commits ("{ready}", "{3}", "{\"{\\\"id\\\":3}\"}");
  end ();
}

static void
test_an_empty_page_ends_the_run (void)
{
  begin (NULL);
  answer_page (1, 0);
  applies ();
  g_assert_cmpstr (played_asked (), ==, "BEGIN page");
  commits ("{finished}", "{0}", "{NULL}");
  end ();
}

/* It is asked once more when its time has come. */
static void
test_a_row_in_quarantine_is_passed_over (void)
{
  begin (NULL);
  answer_page (1, 3);
  played_answer ("quarantine_entries", "row|passed_over|state|held\n0|t|-|f\n2|f|-|f");
  answer_decision (2, 3);
  answer_deletion (2, 3);
  applies ();
  g_assert_cmpstr (played_bound ("decide_all", "key"), ==, "{2,3}");
  g_assert_cmpint (count ("passed_over"), ==, 1);
  g_assert_cmpint (count ("removed"), ==, 2);
  commits ("{finished}", "{2}", "{NULL}");
  g_assert_cmpstr (played_bound ("quarantine_remove", "item"), ==, "{orders:3}");
  end ();
}

/* The page is tried as a whole, then its halves, each rolled back; the good rows go at last. */
static void
test_a_row_that_is_refused_is_quarantined_and_the_others_go (void)
{
  begin (NULL);
  answer_page (1, 2);
  answer_decision (1, 2);
  played_refuse ("10-orders", "23503", "still referenced");
  answer_decision (1, 1);
  answer_deletion (1, 1);
  answer_decision (2, 2);
  played_refuse ("10-orders", "23503", "still referenced");
  answer_decision (1, 1);
  answer_deletion (1, 1);
  applies ();
  g_assert_cmpstr (played_asked (), ==,
                   "BEGIN page quarantine_entries " TRY " ROLLBACK TO page RELEASE page " TRY STANDS
                   " ROLLBACK TO page RELEASE page " TRY
                   " ROLLBACK TO page RELEASE page " TRY STANDS " RELEASE page");
  g_assert_cmpint (count ("removed"), ==, 1);
  g_assert_cmpint (count ("failed"), ==, 1);
  commits ("{finished}", "{1}", "{NULL}");
  g_assert_cmpstr (played_bound ("quarantine_put", "item"), ==, "{orders:2}");
  g_assert_cmpstr (played_bound ("quarantine_put", "reason"), ==, "{\"still referenced [23503]\"}");
  end ();
}

/* It is locked and decided again; then a trigger or a rule keeps it. */
static void
test_a_row_that_is_not_returned_is_tried_twice_and_then_refused (void)
{
  begin (NULL);
  g_ptr_array_add (scene->locks,
                   (gpointer)steps_own_statement ("lock/10-orders-held", "SELECT :held::bigint[]"));
  answer_page (1, 2);
  for (guint i = 0; i < 2; i++) {
    answer_decision (1, 2);
    answer_deletion (1, 1);
  }
  applies ();
  g_assert_cmpstr (played_bound ("10-orders-held", "held"), ==, "{2}");
  g_assert_cmpint (count ("removed"), ==, 1);
  g_assert_cmpint (count ("failed"), ==, 1);
  commits ("{finished}", "{1}", "{NULL}");
  g_assert_cmpstr (played_bound ("quarantine_put", "item"), ==, "{orders:2}");
  end ();
}

/* --- what is no row's fault: the step ends there, and nothing is gathered --- */

static void
test_a_reason_in_the_environment_is_charged_to_no_row (void)
{
  static const struct {
    const char *statement, *sqlstate; /* NULL: an outage */
    PrunedVerdict verdict;
  } cases[] = {
    { "page", NULL, PRUNED_OUTAGE },           { "quarantine_entries", NULL, PRUNED_OUTAGE },
    { "decide_all", NULL, PRUNED_OUTAGE },     { "10-orders", NULL, PRUNED_OUTAGE },
    { "10-orders", "57P01", PRUNED_OUTAGE },   { "10-orders", "53100", PRUNED_OUTAGE },
    { "10-orders", "40P01", PRUNED_BUSY },     { "10-orders", "40001", PRUNED_BUSY },
    { "decide_all", "55P03", PRUNED_BUSY },    { "10-orders", "57014", PRUNED_RETRY },
    { "10-orders", "42P01", PRUNED_RETRY },    { "effects_deferred", "40P01", PRUNED_BUSY },
    { "effects_counts", NULL, PRUNED_OUTAGE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    begin (NULL);
    if (cases[i].sqlstate != NULL)
      played_refuse (cases[i].statement, cases[i].sqlstate, "not now");
    else
      played_answer (cases[i].statement, NULL);
    answer_page (1, 2);
    answer_decision (1, 2);
    answer_deletion (1, 2);
    g_test_message ("%u: %s", i, cases[i].statement);
    g_assert_false (page_apply (scene->step, &error));
    g_assert_error (error, PRUNED_ERROR, (gint)cases[i].verdict);
    g_assert_cmpuint (scene->step->failed_items->len, ==, 0);
    g_assert_cmpuint (json_object_size (scene->step->counts), ==, 0);
    g_assert_cmpuint (bundle_size (bundle), ==, 0);
    g_assert_false (scene->step->bisect->active);
    transaction_rollback (&transaction);
    g_assert_true (g_str_has_suffix (played_asked (), " ROLLBACK"));
    end ();
  }
}

/* Nothing is applied that the page does not have. */
static void
test_a_decision_about_another_key_changes_nothing (void)
{
  g_autoptr (GError) error = NULL;
  begin (NULL);
  answer_page (1, 2);
  answer_decision (1, 3);
  g_assert_false (page_apply (scene->step, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_RETRY);
  g_assert_true (scene->step->blocked);
  g_assert_cmpstr (played_asked (), ==, "BEGIN page quarantine_entries SAVEPOINT page decide_all");
  transaction_rollback (&transaction);
  end ();
}

#define ADD(test) g_test_add_func ("/page/" #test, test_##test)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (the_last_page_ends_the_run);
  ADD (a_page_before_the_last_goes_on_behind_it);
  ADD (an_empty_page_ends_the_run);
  ADD (a_row_in_quarantine_is_passed_over);
  ADD (a_row_that_is_refused_is_quarantined_and_the_others_go);
  ADD (a_row_that_is_not_returned_is_tried_twice_and_then_refused);
  ADD (a_reason_in_the_environment_is_charged_to_no_row);
  ADD (a_decision_about_another_key_changes_nothing);
  return config_test_run ();
}
