#include "store/root.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

gboolean
root_init (Root *root, const Config *config, GError **error)
{
  const char *marker = config_text (config, "store.local", "marker");
  *root = (Root){ .path = g_strdup (config_text (config, "store.local", "root")), .marker = *marker != '\0' ? g_strdup (marker) : NULL };
  if (*marker != '/')
    return TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "[store.local] marker: '%s' is no name beneath the root", marker);
  root_clear (root);
  return FALSE;
}

void
root_clear (Root *root)
{
  g_free (root->path);
  g_free (root->marker);
}

gboolean
root_is_bare (const Root *root, int folder)
{
  int copy = root->marker == NULL ? openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR *entries = copy >= 0 ? fdopendir (copy) : NULL;
  if (entries == NULL) {
    if (copy >= 0)
      close (copy);
    return FALSE;
  }
  gboolean bare = TRUE;
  /* cppcheck-suppress readdirCalled ; no other thread has these */
  for (const struct dirent *entry; bare && (entry = readdir (entries)) != NULL;)
    bare = g_str_equal (entry->d_name, ".") || g_str_equal (entry->d_name, "..") || g_str_equal (entry->d_name, "lost+found");
  closedir (entries);
  return bare;
}

static char *
doubt (Root *root, int folder)
{
  struct stat info;
  if (root->marker != NULL)
    return fstatat (folder, root->marker, &info, 0) == 0 ? NULL
           : g_strdup_printf ("is it mounted? [store.local] marker %s: %s", root->marker, g_strerror (errno));
  if (fstat (folder, &info) != 0)
    return g_strdup (g_strerror (errno));
  if (root->known && info.st_dev != root->device)
    return g_strdup ("it is on another file system than before: is it mounted? If it was moved, restart pruned");
  root->known = TRUE;
  root->device = info.st_dev;
  return NULL;
}

int
root_open (Root *root, char **why)
{
  int folder = open (root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* O_PATH would not mount what is mounted when it is asked for */
  g_autofree char *words = folder < 0 ? g_strdup (g_strerror (errno)) : doubt (root, folder);
  if (words == NULL)
    return folder;
  *why = g_strdup_printf ("[store.local] root %s: %s", root->path, words);
  if (folder >= 0)
    close (folder);
  return -1;
}
