#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int
beneath_errno (const char *name)
{
  return errno == ENAMETOOLONG && strlen (name) > NAME_MAX ? ENOENT : errno;
}

/* Opens the folder NAME in FOLDER, and closes FOLDER. ELOOP: NAME is a link. */
static int
step_into (int folder, const char *name)
{
  struct stat info;
  int next = openat (folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int saved = beneath_errno (name);
  if (next < 0 && saved == ENOTDIR && fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISLNK (info.st_mode))
    saved = ELOOP; /* O_NOFOLLOW with O_DIRECTORY fails with ENOTDIR for a link, too */
  close (folder);
  errno = saved;
  return next;
}

/* Opens PATH component by component: for kernels without openat2, and for a path that is too
 * long for one call. */
static int
walk (int root, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  int folder = dup (root);
  for (guint i = 0; folder >= 0 && names[i] != NULL; i++)
    if (*names[i] != '\0' && !g_str_equal (names[i], "."))
      folder = step_into (folder, names[i]);
  return folder;
}

int
beneath_open (int root, const char *path)
{
  struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                          .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
  if (*path == '\0')
    return dup (root);
  int folder = (int)syscall (SYS_openat2, root, path, &how, sizeof how);
  gboolean again
      = folder < 0
        && (errno == ENOSYS || errno == ENAMETOOLONG
            || errno == EPERM); /* EPERM: a container's filter that does not know the call */
  return again ? walk (root, path) : folder;
}
