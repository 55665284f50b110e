/* Digits as printf writes them. */
#include "base/digits.h"

static void
test_append (void)
{
  static const gint64 numbers[] = { 0, 9, 10, 1234567890123, -1, -10, G_MAXINT64, G_MININT64 };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_autoptr (GString) out = g_string_new ("n");
    g_autofree char *wanted = g_strdup_printf ("n%" G_GINT64_FORMAT, numbers[i]);
    digits_append (out, numbers[i]);
    g_assert_cmpstr (out->str, ==, wanted);
    g_assert_cmpuint (out->len, ==, strlen (wanted));
  }
}

static void
test_put (void)
{
  char text[] = "........";
  g_assert_true (digits_put (text, 4, 21) == text + 4);
  g_assert_cmpstr (text, ==, "0021....");
  digits_put (text + 4, 2, 1234);
  g_assert_cmpstr (text, ==, "002134..");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/append", test_append);
  g_test_add_func ("/put", test_put);
  return g_test_run ();
}
