/* A commit whose answer is lost: docs/rules.md, "What a failure means". */
#include "pg/commit.h"

#include "support/played.h"

#include <string.h>

#define LOST "connection lost"

/* The answers to the question how it has ended; what is said then. NULL: that it has ended well. */
static void
finds_out (const char *answer, const char *said, gboolean in_doubt)
{
  g_autoptr (GError) error = NULL;
  played_begin ();
  Pg *pg = played_pg ();
  played_answer ("commit_number", "number|server\n700|today");
  g_assert_true (commit_note (pg, &error));
  g_set_error (&error, PRUNED_ERROR, PRUNED_OUTAGE, LOST);
  played_answer ("commit_end", answer);
  g_assert_cmpint (commit_find_out (pg, &error), ==, said == NULL);
  g_assert_cmpstr (played_bound ("commit_end", "number"), ==, "700");
  g_assert_cmpstr (played_bound ("commit_end", "server"), ==, "today");
  g_assert_cmpint (pg_is_in_doubt (pg), ==, in_doubt);
  if (said == NULL) {
    g_assert_no_error (error);
    return;
  }
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  g_assert_nonnull (strstr (error->message, said));
  g_assert_nonnull (strstr (error->message, LOST));
}

static void
test_how_it_has_ended (void)
{
  finds_out ("state|waits\ncommitted|f", NULL, FALSE);
  finds_out ("state|waits\naborted|f", "nothing was changed", FALSE);
  finds_out ("state|waits\n-|f", "not known how the commit has ended: ", TRUE);
  finds_out ("state|waits\n-|t", "synchronous standby", TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/commit/ends", test_how_it_has_ended);
  return g_test_run ();
}
