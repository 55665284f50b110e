/* `record` of a job: columns, of its own table or of one that is named. */
#include "engine/job/job_record.h"

static void
test_names_are_read_as_sql_reads_them (void)
{
  static const char *const items[]
      = { "Tokens_Used", "notes.pin_digest", "billing.\"Odd.Name\".\"a\"\"b\"", NULL };
  g_autofree char *read = job_record_read ("orders", (char *const *)items, NULL);
  g_assert_cmpstr (
      read, ==,
      "[[\"orders\",\"tokens_used\"],[\"notes\",\"pin_digest\"],[\"billing.\\\"Odd.Name\\\"\",\"a\\\"b\"]]");
}

static void
test_what_is_no_name_is_refused (void)
{
  static const char *const items[] = { "a", "lower(b)", NULL };
  g_autoptr (GError) error = NULL;
  g_assert_null (job_record_read ("orders", (char *const *)items, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_record/names", test_names_are_read_as_sql_reads_them);
  g_test_add_func ("/job_record/refused", test_what_is_no_name_is_refused);
  return g_test_run ();
}
