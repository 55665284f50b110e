/* Any text as a configuration file: it is refused with the number of the line, or read as entries
 * that have theirs. No section and no key comes twice, but in verbatim ones. */
#include "base/error.h"
#include "config/key_file.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static char *
file_of (const uint8_t *data, size_t size, int *fd)
{
  *fd = memfd_create ("fuzz.conf", 0);
  g_assert_cmpint (*fd, >=, 0);
  g_assert_cmpint (write (*fd, data, size), ==, (gssize)size);
  return g_strdup_printf ("/proc/self/fd/%d", *fd);
}

static void
assert_sound (const GPtrArray *entries)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  int line = 0;
  for (guint i = 0; i < entries->len; i++) {
    const KeyFileEntry *entry = entries->pdata[i];
    g_assert_cmpint (entry->line, >, line);
    line = entry->line;
    if (key_file_is_verbatim (entry->section))
      continue;
    g_assert_true (g_hash_table_add (
        seen, g_strdup_printf ("%s\n%s", entry->section, entry->key != NULL ? entry->key : "\n")));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  int fd;
  g_autofree char *path = file_of (data, size, &fd);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) entries = key_file_read (path, TRUE, &error);
  if (entries != NULL)
    assert_sound (entries);
  else {
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_true (g_str_has_prefix (error->message, path));
  }
  close (fd);
  return 0;
}
