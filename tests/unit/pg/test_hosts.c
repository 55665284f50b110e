/* The forms are those of libpq's manual, "Specifying Multiple Hosts". */
#include "pg/hosts.h"

static void
test_hosts (void)
{
  static const char *const cases[][2] = {
    { "postgresql://me@a:1,b:2/app?target_session_attrs=read-write", "a:1 b:2" },
    { "postgresql://me@a,b:2/app", "a:5432 b:2" },
    { "host=a,b,c port=7 dbname=app", "a:7 b:7 c:7" },
    { "host=a,b,c port=1,,3", "a:1 b:5432 c:3" },
    { "host=/run/one,/run/two", "/run/one:5432 /run/two:5432" },
    { "postgresql://me@a:1/app", "" },
    { "host=a,b hostaddr=10.0.0.1,10.0.0.2", "" },
    { "dbname=app", "" },
    { "", "" },
    { "host=a,b port", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GPtrArray) list = hosts_of (cases[i][0]);
    g_autoptr (GString) said = g_string_new (NULL);
    for (guint k = 0; k < list->len; k++) {
      const Host *one = list->pdata[k];
      g_string_append_printf (said, "%s%s:%s", k > 0 ? " " : "", one->host, one->port);
    }
    g_assert_cmpstr (said->str, ==, cases[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_unsetenv ("PGPORT");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hosts/of", test_hosts);
  return g_test_run ();
}
