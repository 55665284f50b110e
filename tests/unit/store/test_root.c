/* `[store.local] marker` is a file beneath the root, written plainly. */
#include "store/root.h"

#include "support/config_file.h"

static void
test_markers (void)
{
  static const struct {
    const char *marker;
    gboolean fits;
  } cases[] = {
    { ".artifacts", TRUE }, { "beneath/.artifacts", TRUE }, { "/etc/passwd", FALSE },
    { "..", FALSE },        { "../.artifacts", FALSE },     { "beneath/../../.artifacts", FALSE },
    { ".", FALSE },         { "./.artifacts", FALSE },      { "beneath//.artifacts", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text
        = g_strdup_printf ("[store.local]\nroot = /x\nmarker = %s\n", cases[i].marker);
    g_autofree char *why = g_strdup_printf (
        "[store.local] marker: '%s' is not a name beneath the root, like .artifacts",
        cases[i].marker);
    g_autoptr (Config) config = config_load_text (text);
    Root root;
    g_assert_cmpint (root_init (&root, config, &error), ==, cases[i].fits);
    if (cases[i].fits)
      root_clear (&root);
    else
      g_assert_cmpstr (error->message, ==, why);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/root/markers", test_markers);
  return config_test_run ();
}
