#include "engine/job/job.h"

#include <string.h>

/* A key is made of the tick's arguments, or later of its row's, which jsonb has rewritten. */
static void
test_a_key_is_the_same_of_a_tick_and_of_its_row (void)
{
  static const struct {
    const char *sent, *stored, *key;
  } cases[] = {
    { "5", "5", "5" },
    { "-2.50", "-2.5", "-2.5" },
    { "\"1e5\"", "\"1e5\"", "1e5" },
    { "1e5", "100000.0", "100000.0" },
    { "1e-300", "1e-300", "1e-300" },
    { "1.5e17", "150000000000000000", "150000000000000000" },
    { "1e30", "1000000000000000000000000000000", "1000000000000000000000000000000" },
    { "1.2345678901234567890123e22", "12345678901234567890123", "12345678901234567890123" },
    { "-12345678901234567890.50", "-12345678901234567890.50", "-12345678901234567890.50" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < 2; j++) {
      g_autofree char *text
          = g_strdup_printf ("{\"n\":%s}", j == 0 ? cases[i].sent : cases[i].stored);
      g_autoptr (json_t) args = json_parse_exact (text, strlen (text), NULL);
      g_autofree char *key = job_expand_key ("a:{n}", args);
      g_assert_true (g_str_has_prefix (key, "a:"));
      g_assert_cmpstr (key + 2, ==, cases[i].key);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_run/key_the_same_of_a_tick_and_of_its_row",
                   test_a_key_is_the_same_of_a_tick_and_of_its_row);
  return g_test_run ();
}
