#include "cli/demo/files.h"

#include "base/error.h"

#include <errno.h>
#include <ftw.h>

#define OPEN_FOLDERS 16

static gboolean
make_one (const char *root, const char *path, GError **error)
{
  g_autofree char *file = g_build_filename (root, path, NULL), *folder = g_path_get_dirname (file);
  if (g_mkdir_with_parents (folder, 0755) == 0)
    return g_file_set_contents_full (file, path, -1, G_FILE_SET_CONTENTS_NONE, 0644, error);
  return error_fatal (error, "%s: %s", folder, g_strerror (errno));
}

gboolean
files_make (const char *root, const PgRows *paths, GError **error)
{
  for (int i = 0; i < rows_count (paths); i++)
    if (!make_one (root, rows_text (paths, i, "path"), error))
      return FALSE;
  return TRUE;
}

static guint found;

static int
count_one (const char *path, const struct stat *status, int type, struct FTW *place)
{
  found += type == FTW_F;
  return 0;
}

guint
files_count (const char *root)
{
  found = 0;
  (void)nftw (root, count_one, OPEN_FOLDERS,
              FTW_PHYS); /* a folder that is removed meanwhile is empty */
  return found;
}
