#include "store/root.h"

#include "base/error.h"
#include "store/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Beneath the root, and in one way only. */
static gboolean
is_name_beneath (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] == '\0' || g_str_equal (parts[i], ".") || g_str_equal (parts[i], ".."))
      return FALSE;
  return TRUE;
}

gboolean
root_init (Root *root, const Config *config, GError **error)
{
  const char *marker = config_text (config, "store.local", "marker");
  *root = (Root){ .path = g_strdup (config_text (config, "store.local", "root")),
                  .marker = *marker != '\0' ? g_strdup (marker) : NULL };
  if (root->marker == NULL || is_name_beneath (marker))
    return TRUE;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
               "[store.local] marker: '%s' is no name beneath the root, like .artifacts", marker);
  root_clear (root);
  return FALSE;
}

void
root_clear (Root *root)
{
  g_free (root->path);
  g_free (root->marker);
}

RootLook
root_look (const Root *root, int folder)
{
  if (root->marker != NULL)
    return ROOT_FILLED;
  int copy = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = copy >= 0 ? fdopendir (copy) : NULL;
  if (entries == NULL) {
    if (copy >= 0)
      close (copy);
    return ROOT_UNREADABLE;
  }
  gboolean bare = TRUE;
  /* cppcheck-suppress readdirCalled ; no other thread has these */
  for (const struct dirent *entry; bare && (entry = readdir (entries)) != NULL;)
    bare = g_str_equal (entry->d_name, ".") || g_str_equal (entry->d_name, "..")
           || g_str_equal (entry->d_name, "lost+found");
  closedir (entries);
  return bare ? ROOT_BARE : ROOT_FILLED;
}

gboolean
root_is_marker (const Root *root, const struct stat *info)
{
  return root->marker != NULL && info->st_dev == root->marker_device
         && info->st_ino == root->marker_inode;
}

/* A link would vouch for a disk from wherever it points to. Why there is none, in words; NULL:
 * there is. */
static const char *
look_for_marker (Root *root, int folder)
{
  struct stat info;
  g_autofree char *parent = g_path_get_dirname (root->marker),
                  *name = g_path_get_basename (root->marker);
  int beneath = beneath_open (folder, g_str_equal (parent, ".") ? "" : parent);
  gboolean found = beneath >= 0 && fstatat (beneath, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
  int saved = errno;
  if (beneath >= 0)
    close (beneath);
  if (!found)
    return saved == ELOOP || saved == EXDEV ? "is behind a link" : g_strerror (saved);
  if (S_ISLNK (info.st_mode))
    return "is a link";
  root->marker_device = info.st_dev;
  root->marker_inode = info.st_ino;
  return NULL;
}

static char *
doubt (Root *root, int folder)
{
  struct stat info;
  if (root->marker != NULL) {
    const char *why = look_for_marker (root, folder);
    return why != NULL
               ? g_strdup_printf ("is it mounted? [store.local] marker %s: %s", root->marker, why)
               : NULL;
  }
  if (fstat (folder, &info) != 0)
    return g_strdup (g_strerror (errno));
  if (root->known && info.st_dev != root->device)
    return g_strdup (
        "it is on another file system than before: is it mounted? If it was moved, restart pruned");
  root->known = TRUE;
  root->device = info.st_dev;
  return NULL;
}

int
root_open (Root *root, char **why)
{
  int folder
      = open (root->path,
              O_RDONLY | O_DIRECTORY
                  | O_CLOEXEC); /* O_PATH would not mount what is mounted when it is asked for */
  if (folder < 0 && errno == EACCES) /* to pass through it is enough */
    folder = open (root->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  g_autofree char *words = folder < 0 ? g_strdup (g_strerror (errno)) : doubt (root, folder);
  if (words == NULL)
    return folder;
  *why = g_strdup_printf ("[store.local] root %s: %s", root->path, words);
  if (folder >= 0)
    close (folder);
  return -1;
}
