#include "cli/output/output.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

static const Column columns[] = { { "name" },
                                  { "n", CELL_NUMBER },
                                  { "when", CELL_TIME },
                                  { "why", CELL_JSON, .detail = TRUE },
                                  { NULL } };

static char *path;

/* Between capture and its end, standard output goes to a file. */
static int
capture (void)
{
  fflush (stdout);
  int saved = dup (STDOUT_FILENO);
  int fd = g_open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  g_assert_cmpint (dup2 (fd, STDOUT_FILENO), ==, STDOUT_FILENO);
  close (fd);
  return saved;
}

static char *
captured (Output *out, int saved)
{
  char *text;
  g_assert_true (output_free (out));
  dup2 (saved, STDOUT_FILENO);
  close (saved);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
put_rows (Output *out)
{
  output_table (out, columns);
  output_row (out, json_string ("a"), json_integer (7), json_string ("2026-11-21T10:20:30.000001Z"),
              json_pack ("{s:i}", "x", 1));
  output_row (out, json_string ("tab\tor\nline"), json_integer (12345), NULL, NULL);
  output_say (out, "said");
  output_hint (out, "hinted");
}

static char *
shown (gboolean json, gboolean terminal)
{
  int saved = capture ();
  Output *out = output_new (json, terminal);
  put_rows (out);
  return captured (out, saved);
}

static void
test_json (void)
{
  g_autofree char *text = shown (TRUE, TRUE);
  g_assert_cmpstr (
      text, ==,
      "{\"name\":\"a\",\"n\":7,\"when\":\"2026-11-21T10:20:30.000001Z\",\"why\":{\"x\":1}}\n"
      "{\"name\":\"tab\\tor\\nline\",\"n\":12345,\"when\":null,\"why\":null}\n");
}

static void
test_plain (void)
{
  g_autofree char *text = shown (FALSE, FALSE);
  g_assert_cmpstr (text, ==,
                   "name\tn\twhen\n"
                   "a\t7\t2026-11-21T10:20:30.000001Z\n"
                   "tab or line\t12345\t\n"
                   "said\n");
}

static void
test_terminal (void)
{
  g_setenv ("NO_COLOR", "1", TRUE);
  g_autofree char *text = shown (FALSE, TRUE);
  g_unsetenv ("NO_COLOR");
  g_assert_cmpstr (text, ==,
                   "said\nhinted\n" /* the table is printed at its end */
                   "name             n  when\n"
                   "a                7  2026-11-21 10:20:30\n"
                   "tab or line  12345  -\n");
}

static const Column WIDE[] = {
  { "job" }, { "at", CELL_TIME }, { "n", CELL_NUMBER }, { "host", .roomy = TRUE }, { "reason" },
  { NULL }
};

/* What does not fit 80 columns: a roomy column goes, a long text goes on below itself. */
static void
test_narrow (void)
{
  g_setenv ("NO_COLOR", "1", TRUE);
  int saved = capture ();
  Output *out = output_new (FALSE, TRUE);
  output_table (out, WIDE);
  output_row (out, json_string ("members.schedule_prune_deletions"),
              json_string ("2026-11-21T10:20:30.000001Z"), json_integer (7), json_string ("away"),
              json_string ("a text that is too long for what is left of the line"));
  g_autofree char *text = captured (out, saved);
  g_unsetenv ("NO_COLOR");
  g_assert_cmpstr (
      text, ==,
      "job                               at                   n  reason\n"
      "members.schedule_prune_deletions  2026-11-21 10:20:30  7  a text that is too\n"
      "                                                          long for what is left\n"
      "                                                          of the line\n");
}

static char *
ended (gboolean json, gboolean with_row)
{
  int saved = capture ();
  Output *out = output_new (json, FALSE);
  output_table (out, columns);
  if (with_row)
    output_row (out, json_string ("a"), NULL, NULL, NULL);
  output_end_list (out, "No %s.", "row\tof it");
  return captured (out, saved);
}

static void
test_a_list_without_rows_says_so (void)
{
  g_autofree char *none = ended (FALSE, FALSE), *one = ended (FALSE, TRUE),
                  *json = ended (TRUE, FALSE);
  g_assert_cmpstr (none, ==, "No row of it.\n");
  g_assert_cmpstr (one, ==, "name\tn\twhen\na\t\t\n");
  g_assert_cmpstr (json, ==, "");
}

static void
test_colours (void)
{
  Output *out = output_new (FALSE, TRUE);
  g_autofree char *dead = output_coloured (out, "dead"), *other = output_coloured (out, "other");
  g_assert_cmpstr (dead, ==, "\033[31mdead\033[0m");
  g_assert_cmpstr (other, ==, "other");
  g_assert_true (output_free (out));
}

static void
test_empty (void)
{
  int saved = capture ();
  Output *out = output_new (FALSE, FALSE);
  output_table (out, columns);
  g_autofree char *text = captured (out, saved);
  g_assert_cmpstr (text, ==, "");
}

static void
test_full_device (void)
{
  fflush (stdout);
  int saved = dup (STDOUT_FILENO), full = g_open ("/dev/full", O_WRONLY);
  g_assert_cmpint (dup2 (full, STDOUT_FILENO), ==, STDOUT_FILENO);
  Output *out = output_new (TRUE, FALSE);
  put_rows (out);
  gboolean written = output_free (out);
  clearerr (stdout);
  dup2 (saved, STDOUT_FILENO);
  close (saved);
  close (full);
  g_assert_false (written);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  int fd = g_file_open_tmp ("test-output-XXXXXX", &path, NULL);
  g_assert_cmpint (fd, >=, 0);
  close (fd);
  g_test_add_func ("/output/json", test_json);
  g_test_add_func ("/output/narrow", test_narrow);
  g_test_add_func ("/output/plain", test_plain);
  g_test_add_func ("/output/terminal", test_terminal);
  g_test_add_func ("/output/colours", test_colours);
  g_test_add_func ("/output/empty", test_empty);
  g_test_add_func ("/output/no_rows", test_a_list_without_rows_says_so);
  g_test_add_func ("/output/full_device", test_full_device);
  int failed = g_test_run ();
  g_unlink (path);
  g_free (path);
  return failed;
}
