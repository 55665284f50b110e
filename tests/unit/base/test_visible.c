#include "base/visible.h"

static void
assert_seen (const char *text, const char *wanted)
{
  g_autofree char *seen = visible_line (text);
  g_assert_cmpstr (seen, ==, wanted);
}

static void
test_text_stays (void)
{
  assert_seen ("", "");
  assert_seen ("a b\\n 'c' \"d\"", "a b\\n 'c' \"d\"");
  assert_seen ("\303\251 \327\251\327\234\327\225\327\235 \360\237\230\200",
               "\303\251 \327\251\327\234\327\225\327\235 \360\237\230\200");
}

static void
test_ascii_controls_are_blanks (void)
{
  assert_seen ("a\tb\nc\r\033[2Jd\177", "a b c  [2Jd ");
}

/* CSI as one character, next line; as a terminal with 8 bits reads them. */
static void
test_c1_controls_are_escaped (void)
{
  assert_seen ("a\302\2332Jb", "a\\u009b2Jb");
  assert_seen ("\302\200\302\205\302\237\302\240", "\\u0080\\u0085\\u009f\302\240");
}

/* RLO turns `exe.pdf` around; isolates and marks do likewise. */
static void
test_what_turns_the_direction_is_escaped (void)
{
  assert_seen ("fdp\342\200\256exe", "fdp\\u202eexe");
  assert_seen ("\342\200\252\342\200\255", "\\u202a\\u202d");
  assert_seen ("\342\201\246x\342\201\251", "\\u2066x\\u2069");
  assert_seen ("\342\200\216\342\200\217\330\234", "\\u200e\\u200f\\u061c");
  assert_seen ("\342\200\250\342\200\251", "\\u2028\\u2029");
}

/* A byte of C1 alone is no UTF-8. */
static void
test_bytes_that_are_no_text_are_replaced (void)
{
  assert_seen ("a\233b", "a\357\277\275b");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/visible/text", test_text_stays);
  g_test_add_func ("/visible/ascii", test_ascii_controls_are_blanks);
  g_test_add_func ("/visible/c1", test_c1_controls_are_escaped);
  g_test_add_func ("/visible/direction", test_what_turns_the_direction_is_escaped);
  g_test_add_func ("/visible/bytes", test_bytes_that_are_no_text_are_replaced);
  return g_test_run ();
}
