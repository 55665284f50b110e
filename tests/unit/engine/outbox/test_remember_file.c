/* The ledger of erasures as files: what is written is read, what was changed is not believed, and
 * what was cut off leaves nothing behind. */
#include "engine/outbox/remember.h"
#include "engine/outbox/remember_file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ZEROS "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" /* 32 bytes */
#define OTHER "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define RUN "33c50bbf-59ca-51b4-a4cd-84473abeb18f"

static char *folder, *path; /* the file of today, once there is one */
static GPtrArray *keys;     /* one SealKey */

static SealKey *
key_of (const char *text)
{
  g_autofree char *file = g_build_filename (folder, "key", NULL);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
  g_assert_cmpint (g_chmod (file, 0600), ==, 0);
  SealKey *key = seal_key_read (file, NULL);
  g_assert_nonnull (key);
  g_assert_cmpint (g_remove (file), ==, 0);
  return key;
}

/* The line of the row ID. */
static void
add_line (GString *lines, const char *id)
{
  const SealKey *key = keys->pdata[0];
  g_autofree char *entry = remember_entry (key, "people", id), *sealed = seal_close (key, id);
  const char *fields[] = { entry,
                           seal_key_id (key),
                           sealed,
                           "people.erase",
                           "people",
                           "removed",
                           RUN,
                           NULL,
                           "2026-12-01T00:00:00Z",
                           "2036-12-01T00:00:00Z" };
  g_autoptr (Bundle) bundle = bundle_new (RUN, 7, "people.erase", 0);
  bundle_add (bundle, "p.erasures", -1, entry, REMEMBER_TYPE, "id", fields);
  g_autoptr (GPtrArray) messages
      = bundle_read (bundle->stored->data, bundle->stored->len, "p", NULL);
  g_assert_cmpuint (messages->len, ==, 1);
  g_assert_true (remember_file_line (lines, key, messages->pdata[0], NULL));
}

static void
append (const char *id)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  add_line (lines, id);
  g_assert_true (remember_file_append (folder, lines, NULL));
}

/* --- what a reading finds --- */

static void
take (const RememberedLine *line, gpointer data)
{
  g_autofree char *key
      = line->content != NULL
            ? seal_open (keys->pdata[0],
                         json_string_value (json_object_get (line->content, "sealed")), NULL)
            : NULL;
  g_string_append_printf (data, "%u:%s ", line->line,
                          key != NULL               ? key
                          : line->damaged != NULL   ? "damaged"
                          : line->other_key != NULL ? "other key"
                                                    : "?");
  g_free (path);
  path = g_strdup (line->path);
}

static void
assert_found (const char *want)
{
  g_autoptr (GString) found = g_string_new (NULL);
  g_assert_true (remember_file_read (folder, keys, 0, take, found, NULL));
  g_assert_cmpstr (found->str, ==, want);
}

static void
clear (void)
{
  if (path != NULL)
    g_assert_cmpint (g_remove (path), ==, 0);
  g_clear_pointer (&path, g_free);
}

/* The file of today, with TEXT behind it. */
static void
write_behind (const char *text)
{
  FILE *file = fopen (path, "ae");
  g_assert_nonnull (file);
  g_assert_cmpint (fputs (text, file), >=, 0);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* --- the tests --- */

static void
test_what_is_written_is_read (void)
{
  append ("1");
  append ("{\"a\": 1, \"b\": \"x\"}");
  assert_found ("1:1 2:{\"a\": 1, \"b\": \"x\"} ");
  GStatBuf status;
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  g_autoptr (GString) later = g_string_new (NULL);
  g_assert_true (remember_file_read (folder, keys, G_TIME_SPAN_DAY * 365000, take, later, NULL));
  g_assert_cmpstr (later->str, ==, "");
  clear ();
}

static void
test_lines_that_were_changed_are_named_and_the_others_are_read (void)
{
  g_autofree char *text = NULL;
  append ("1");
  append ("2");
  append ("3");
  assert_found ("1:1 2:2 3:3 ");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  char *second = strchr (text, '\n') + 1, *year = strstr (second, "\"until\":\"2036");
  memcpy (year + strlen ("\"until\":\""), "2099", 4);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  write_behind ("{}\nnothing\n\n");
  assert_found ("1:1 2:damaged 3:3 4:damaged 5:damaged 6:damaged ");
  clear ();
}

static void
test_what_was_not_written_to_its_end_is_cut_off_by_the_next_one (void)
{
  append ("1");
  assert_found ("1:1 ");
  write_behind ("{\"database\":\"\",\"era");
  assert_found ("1:1 2:damaged ");
  append ("2");
  assert_found ("1:1 2:2 ");
  g_autofree char *much = g_strnfill (10000, 'x');
  write_behind (much);
  append ("3");
  assert_found ("1:1 2:2 3:3 ");
  clear ();
  append ("1");
  assert_found ("1:1 ");
  g_assert_true (g_file_set_contents (path, "{", -1, NULL));
  append ("4");
  assert_found ("1:4 ");
  clear ();
}

/* As on a full disk, a part of it can be written. */
static void
test_what_finds_no_room_leaves_nothing_behind (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) lines = g_string_new (NULL);
  struct rlimit before, now;
  append ("1");
  assert_found ("1:1 ");
  add_line (lines, "2");
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  now = (struct rlimit){ .rlim_cur = lines->len + 100, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &now), ==, 0);
  g_assert_false (remember_file_append (folder, lines, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  g_assert_nonnull (strstr (error->message, "write: File too large"));
  assert_found ("1:1 ");
  g_assert_true (remember_file_append (folder, lines, NULL));
  assert_found ("1:1 2:2 ");
  clear ();
}

static void
test_another_key_is_said (void)
{
  append ("1");
  SealKey *mine = keys->pdata[0];
  keys->pdata[0] = key_of (OTHER);
  assert_found ("1:other key ");
  seal_key_free (keys->pdata[0]);
  keys->pdata[0] = mine;
  clear ();
}

static void
refused (const char *where, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (remember_file_usable (where, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_nonnull (strstr (error->message, want));
}

static void
test_folders_that_cannot_be_used (void)
{
  g_assert_true (remember_file_usable (folder, NULL));
  refused ("/nowhere/erasures", "there is no such folder");
  g_assert_cmpint (g_chmod (folder, 0777), ==, 0);
  refused (folder, "chmod o-w");
  g_assert_cmpint (g_chmod (folder, 0500), ==, 0);
  const gboolean root = geteuid () == 0;
  if (root) { /* whom nothing is forbidden */
    g_assert_cmpint (g_chmod (folder, 0755), ==, 0);
    g_assert_cmpint (seteuid (65534), ==, 0);
  }
  refused (folder, "the user of the daemon writes");
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) lines = g_string_new ("{}\n");
  g_assert_false (remember_file_append (folder, lines, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
  if (root)
    g_assert_cmpint (seteuid (0), ==, 0);
  g_assert_cmpint (g_chmod (folder, 0700), ==, 0);
  g_assert_false (remember_file_read ("/nowhere/erasures", keys, 0, take, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  (void)signal (SIGXFSZ, SIG_IGN);
  folder = g_dir_make_tmp (NULL, NULL);
  keys = g_ptr_array_new ();
  g_ptr_array_add (keys, key_of (ZEROS));
  g_test_add_func ("/remember_file/read", test_what_is_written_is_read);
  g_test_add_func ("/remember_file/changed",
                   test_lines_that_were_changed_are_named_and_the_others_are_read);
  g_test_add_func ("/remember_file/cut",
                   test_what_was_not_written_to_its_end_is_cut_off_by_the_next_one);
  g_test_add_func ("/remember_file/full", test_what_finds_no_room_leaves_nothing_behind);
  g_test_add_func ("/remember_file/other_key", test_another_key_is_said);
  g_test_add_func ("/remember_file/folder", test_folders_that_cannot_be_used);
  const int failed = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  seal_key_free (keys->pdata[0]);
  g_ptr_array_unref (keys);
  g_free (folder);
  return failed;
}
