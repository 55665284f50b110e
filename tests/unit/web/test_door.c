/* Where `[http] listen` listens: docs/reference/settings.md. */
#include "web/door.h"

#include <string.h>

static void
test_addresses (void)
{
  static const struct {
    const char *listen;
    gboolean fits;
  } cases[] = {
    { "127.0.0.1:9750", TRUE },
    { "[::1]:9750", TRUE },
    { "*:9750", TRUE },
    { ":9750", TRUE },
    { "127.0.0.1:0", TRUE },
    { "127.0.0.1:65535", TRUE },
    { "", FALSE },
    { "9750", FALSE },
    { "127.0.0.1", FALSE },
    { "127.0.0.1:", FALSE },
    { "127.0.0.1:65536", FALSE },
    { "127.0.0.1:-1", FALSE },
    { "127.0.0.1:http", FALSE },
    { "127.0.0.1:9750 ", FALSE },
    { "::1:9750", FALSE }, /* is the last part the port? */
    { "[::1]", FALSE },
    { "::1]:9750", FALSE },
    { "http://127.0.0.1:9750", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_test_message ("'%s'", cases[i].listen);
    g_assert_cmpint (door_check (cases[i].listen, &error), ==, cases[i].fits);
    if (cases[i].fits)
      g_assert_no_error (error);
    else {
      g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
      g_assert_true (g_str_has_prefix (error->message, "[http] listen: '"));
    }
  }
}

static void
test_an_address_of_another_machine_is_told (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (door_new ("192.0.2.1:9750", NULL, &error)); /* of no machine (RFC 5737) */
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_nonnull (strstr (error->message, "cannot listen on 192.0.2.1:9750"));
  g_assert_nonnull (strstr (error->message, "errno"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/door/addresses", test_addresses);
  g_test_add_func ("/door/another_machine", test_an_address_of_another_machine_is_told);
  return g_test_run ();
}
