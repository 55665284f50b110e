#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The folder NAME in FOLDER, which is closed; ELOOP: it is a link. */
static int
step_into (int folder, const char *name)
{
  struct stat info;
  int next = openat (folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int saved = errno;
  if (next < 0 && saved == ENOTDIR && fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISLNK (info.st_mode))
    saved = ELOOP; /* O_NOFOLLOW with O_DIRECTORY answers ENOTDIR for a link, too */
  close (folder);
  errno = saved;
  return next;
}

/* Component by component, for kernels without openat2. */
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
  gboolean unknown
      = folder < 0
        && (errno == ENOSYS
            || errno == EPERM); /* EPERM: a container's filter that is older than the call */
  return unknown ? walk (root, path) : folder;
}
