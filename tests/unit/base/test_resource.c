/* The order of the names in a folder: that in which files of a step run. */
#include "base/resource.h"

#include <glib/gstdio.h>
#include <unistd.h>

static void
make (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
}

static void
test_numbers_come_before_texts (void)
{
  static const char *const names[] = { "1000-b", "990-a", "09-x", "10-c", "10-b", "b", "a", "" };
  static const char *const wanted[] = { "09-x", "10-b", "10-c", "990-a", "1000-b", "a", "b", NULL };
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  for (guint i = 0; *names[i] != '\0'; i++)
    make (folder, names[i]);
  g_auto (GStrv) found = resource_list (folder, NULL);
  g_assert_true (g_strv_equal ((const char *const *)found, wanted));
  for (guint i = 0; found[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, found[i], NULL);
    g_assert_cmpint (g_remove (path), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_a_folder_that_is_not_there_is_empty (void)
{
  g_auto (GStrv) found = resource_list ("/nowhere/at/all", NULL);
  g_assert_cmpuint (g_strv_length (found), ==, 0);
}

static void
test_what_cannot_be_read_is_an_error_with_its_path (void)
{
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL),
                  *link = g_build_filename (folder, "loop", NULL);
  g_assert_cmpint (symlink ("loop", link), ==, 0);
  const char *const paths[] = { link, "/dev/null" };
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autoptr (GError) error = NULL;
    g_auto (GStrv) found = resource_list (paths[i], &error);
    g_assert_null (found);
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_true (g_str_has_prefix (error->message, paths[i]));
    g_assert_true (resource_exists (paths[i]));
  }
  g_assert_cmpint (g_remove (link), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resource/numbers_come_before_texts", test_numbers_come_before_texts);
  g_test_add_func ("/resource/a_folder_that_is_not_there_is_empty",
                   test_a_folder_that_is_not_there_is_empty);
  g_test_add_func ("/resource/what_cannot_be_read_is_an_error_with_its_path",
                   test_what_cannot_be_read_is_an_error_with_its_path);
  return g_test_run ();
}
