/* Files that others can change. */
#include "base/trusted.h"

#include <glib/gstdio.h>
#include <unistd.h>

typedef struct {
  char *folder, *file;
} Made;

static Made
make (void)
{
  Made made = { g_dir_make_tmp (NULL, NULL), NULL };
  made.file = g_build_filename (made.folder, "pruned.conf", NULL);
  g_assert_true (g_file_set_contents (made.file, "", 0, NULL));
  return made;
}

static void
clear (Made *made)
{
  g_assert_cmpint (g_remove (made->file), ==, 0);
  g_assert_cmpint (g_rmdir (made->folder), ==, 0);
  g_free (made->file);
  g_free (made->folder);
}

static void
assert_refused (const char *path, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (trusted_file (path, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_who_may_write (void)
{
  Made made = make ();
  static const struct {
    int mode;
    gboolean trusted;
  } modes[] = { { 0600, TRUE },  { 0644, TRUE },  { 0664, TRUE },
                { 0646, FALSE }, { 0602, FALSE }, { 0666, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_assert_cmpint (g_chmod (made.file, modes[i].mode), ==, 0);
    if (modes[i].trusted)
      g_assert_true (trusted_file (made.file, NULL));
    else
      assert_refused (made.file, "chmod o-w");
  }
  clear (&made);
}

/* Whoever may write a folder can put another file into it; the sticky bit does not keep them from
 * it. */
static void
test_folders (void)
{
  Made made = make ();
  g_assert_true (trusted_file (made.folder, NULL));
  g_assert_cmpint (g_chmod (made.folder, 01777), ==, 0);
  assert_refused (made.folder, "this folder");
  g_assert_cmpint (g_chmod (made.folder, 0700), ==, 0);
  clear (&made);
}

static void
test_whose_it_is (void)
{
  if (geteuid () != 0) {
    g_test_skip ("only root can give files away");
    return;
  }
  Made made = make ();
  g_assert_cmpint (chown (made.file, 65534, (gid_t)-1), ==, 0);
  assert_refused (made.file, "belongs to user 65534, not to root");
  assert_refused (made.file,
                  "run this command so, too (runuser -u USER -- pruned ...), else: chown root ");
  g_assert_cmpint (chown (made.file, 0, (gid_t)-1), ==, 0);
  g_assert_true (trusted_file (made.file, NULL));
  clear (&made);
}

/* A link is what it leads to. */
static void
test_links (void)
{
  Made made = make ();
  g_autofree char *link = g_build_filename (made.folder, "link", NULL);
  g_assert_cmpint (symlink ("pruned.conf", link), ==, 0);
  g_assert_true (trusted_file (link, NULL));
  g_assert_cmpint (g_chmod (made.file, 0666), ==, 0);
  assert_refused (link, "everybody may write this file");
  g_assert_cmpint (g_remove (link), ==, 0);
  clear (&made);
}

static void
test_what_is_not_judged (void)
{
  g_assert_true (trusted_file ("/nowhere/at/all", NULL));
  g_assert_true (trusted_file ("/dev/null", NULL)); /* everybody may write it */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trusted/modes", test_who_may_write);
  g_test_add_func ("/trusted/folders", test_folders);
  g_test_add_func ("/trusted/owners", test_whose_it_is);
  g_test_add_func ("/trusted/links", test_links);
  g_test_add_func ("/trusted/not_judged", test_what_is_not_judged);
  return g_test_run ();
}
