#include "support/folder.h"

#include <glib/gstdio.h>

void
folder_remove (const char *path)
{
  GDir *dir = !g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? g_dir_open (path, 0, NULL) : NULL;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *below = g_build_filename (path, name, NULL);
    folder_remove (below);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}
