/* Long texts are cut between characters, and say so. */
#include "base/cut.h"

static void
test_cut (void)
{
  static const struct {
    const char *text;
    gsize most;
    const char *shown;
  } cases[] = {
    { "", 3, "" },
    { "abc", 3, "abc" },
    { "abcd", 3, "abc... (1 bytes more)" },
    { "ab\xc3\xa9"
      "d",
      3, "ab... (3 bytes more)" },
    { "ab\xc3\xa9"
      "d",
      4, "ab\xc3\xa9... (1 bytes more)" },
    { "\xf0\x9f\x98\x80", 3, "... (4 bytes more)" },
    { "\x80\x80\x80\x80\x80\x80", 5, "\x80\x80... (4 bytes more)" }, /* not UTF-8 */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *shown = cut_text (cases[i].text, cases[i].most);
    g_assert_cmpstr (shown, ==, cases[i].shown);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cut/between_characters", test_cut);
  return g_test_run ();
}
