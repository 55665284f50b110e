/* Sealed texts, and the files with their keys. */
#include "base/seal.h"

#include <glib/gstdio.h>
#include <string.h>

#define ZEROS "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" /* 32 bytes */
#define OTHER "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

static char *folder, *path;

static SealKey *
key_of (const char *text, int mode, GError **error)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, mode), ==, 0);
  return seal_key_read (path, error);
}

static void
test_what_is_sealed_is_opened (void)
{
  static const char *const texts[] = { "", "1", "{\"a\": 1}", "\xc3\xa4" };
  g_autoptr (SealKey) key = key_of (ZEROS "\n", 0600, NULL);
  g_assert_nonnull (key);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *a = seal_close (key, texts[i]), *b = seal_close (key, texts[i]),
                    *back = seal_open (key, a, NULL);
    g_assert_cmpstr (back, ==, texts[i]);
    g_assert_cmpstr (a, !=, b);
    g_assert_null (strstr (a, "{"));
  }
}

static void
test_another_key_opens_nothing (void)
{
  g_autoptr (SealKey) key = key_of (ZEROS, 0600, NULL), other = key_of (OTHER, 0600, NULL);
  g_autofree char *sealed = seal_close (key, "42");
  static const char *const damaged[] = { "", "AAAA", "not base64", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (damaged); i++) {
    g_autoptr (GError) error = NULL;
    const char *text = damaged[i] != NULL ? damaged[i] : sealed;
    g_assert_null (seal_open (other, text, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  }
  sealed[40] = sealed[40] == 'A' ? 'B' : 'A';
  g_assert_null (seal_open (key, sealed, NULL));
  g_assert_cmpstr (seal_key_id (key), !=, seal_key_id (other));
  g_assert_cmpuint (strlen (seal_key_id (key)), ==, 16);
}

static void
test_the_hash_is_of_both_texts_and_of_the_key (void)
{
  g_autoptr (SealKey) key = key_of (ZEROS, 0600, NULL), other = key_of (OTHER, 0600, NULL);
  g_autofree char *a = seal_hash (key, "people", "1"), *same = seal_hash (key, "people", "1"),
                  *b = seal_hash (key, "people1", ""), *c = seal_hash (other, "people", "1");
  g_assert_cmpstr (a, ==, same);
  g_assert_cmpstr (a, !=, b);
  g_assert_cmpstr (a, !=, c);
  g_assert_cmpuint (strlen (a), ==, 64);
}

static void
test_files_that_hold_no_key (void)
{
  static const struct {
    const char *text;
    int mode;
    const char *want;
  } refused[] = { { "", 0600, "this is no key" },
                  { "AAAA", 0600, "this is no key" },
                  { ZEROS "AAAA", 0600, "this is no key" },
                  { "secret, but not base64 at all, and 44 long..", 0600, "this is no key" },
                  { ZEROS, 0604, "chmod o-r" },
                  { ZEROS, 0602, "chmod o-w" } };
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (key_of (refused[i].text, refused[i].mode, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_nonnull (strstr (error->message, refused[i].want));
    g_assert_null (strstr (error->message, "secret"));
  }
  g_autoptr (GError) error = NULL;
  g_assert_null (seal_key_read ("/nowhere/key", &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_nonnull (strstr (error->message, "/nowhere/key"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp (NULL, NULL);
  path = g_build_filename (folder, "key", NULL);
  g_test_add_func ("/seal/opened", test_what_is_sealed_is_opened);
  g_test_add_func ("/seal/other_key", test_another_key_opens_nothing);
  g_test_add_func ("/seal/hash", test_the_hash_is_of_both_texts_and_of_the_key);
  g_test_add_func ("/seal/no_key", test_files_that_hold_no_key);
  const int failed = g_test_run ();
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  return failed;
}
