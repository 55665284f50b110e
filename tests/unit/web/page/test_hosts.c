/* Which names the page answers to. */
#include "web/page/hosts.h"

static void
test_hosts (void)
{
  static const struct {
    const char *names, *host;
    gboolean has;
  } cases[] = {
    { "", "127.0.0.1:9750", TRUE },
    { "", "10.0.0.7", TRUE },
    { "", "[::1]:9750", TRUE },
    { "", "localhost", TRUE },
    { "", "LOCALHOST:80", TRUE },
    { "", NULL, FALSE },
    { "", "", FALSE },
    { "", "evil.example", FALSE },
    { "", "localhost.evil.example", FALSE },
    { "", "127.0.0.1.evil.example", FALSE },
    { "", "evil.example:9750", FALSE },
    { "", "localhost:80@evil.example", FALSE },
    { "", "[::1", FALSE },
    { "", "[::1]x", FALSE },
    { "a.example, b.example", "b.example", TRUE },
    { "a.example, b.example", "A.EXAMPLE:443", TRUE },
    { "a.example, b.example", "c.example", FALSE },
    { "a.example, b.example", "x.a.example", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (hosts_has (cases[i].names, cases[i].host), ==, cases[i].has);
}

static void
test_names (void)
{
  g_assert_true (hosts_names ("a.example, b.example", "B.example"));
  g_assert_false (hosts_names ("a.example, b.example", "b.example:80"));
  g_assert_false (hosts_names ("a.example", "127.0.0.1"));
  g_assert_false (hosts_names ("", ""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hosts/names", test_hosts);
  g_test_add_func ("/hosts/listed", test_names);
  return g_test_run ();
}
