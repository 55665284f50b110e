/* Files of [run] jobs_dir that cannot be read, or are not there any more. */
#include "engine/job/sentence/sections.h"

#include <glib/gstdio.h>
#include <unistd.h>

static char *path;

/* A reload can find a file that is removed before it is read. */
static void
test_a_file_that_is_gone_has_no_sections (void)
{
  g_autoptr (GPtrArray) sections = sections_new ();
  sections_of_file (sections, path);
  g_assert_cmpuint (sections->len, ==, 0);
}

static void
assert_broken (void)
{
  g_autoptr (GPtrArray) sections = sections_new ();
  sections_of_file (sections, path);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpuint (sections->len, ==, 1);
  const Section *section = sections->pdata[0];
  g_assert_cmpstr (section->name, ==, "gone");
  g_assert_nonnull (section->broken);
}

static void
test_a_link_to_nothing_is_broken (void)
{
  g_assert_cmpint (symlink ("nowhere.conf", path), ==, 0);
  assert_broken ();
}

static void
test_an_empty_file_is_broken (void)
{
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  assert_broken ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder = g_dir_make_tmp ("sections-XXXXXX", NULL);
  path = g_build_filename (folder, "gone.conf", NULL);
  g_test_add_func ("/job/sections/gone", test_a_file_that_is_gone_has_no_sections);
  g_test_add_func ("/job/sections/link", test_a_link_to_nothing_is_broken);
  g_test_add_func ("/job/sections/empty", test_an_empty_file_is_broken);
  int failed = g_test_run ();
  g_rmdir (folder);
  g_free (path);
  return failed;
}
