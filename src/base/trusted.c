#include "base/trusted.h"

#include <glib/gstdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

static gboolean
is_read_only (const char *path)
{
  struct statvfs system;
  return statvfs (path, &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

gboolean
trusted_file (const char *path, GError **error)
{
  GStatBuf file;
  if (g_stat (path, &file) != 0 || !(S_ISREG (file.st_mode) || S_ISDIR (file.st_mode)))
    return TRUE;
  gboolean open = (file.st_mode & S_IWOTH) != 0,
           strange = file.st_uid != 0 && file.st_uid != geteuid ();
  if ((!open && !strange) || is_read_only (path))
    return TRUE;
  if (open)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "%s: everybody may write this %s, which says what is removed: chmod o-w %s", path,
                 S_ISDIR (file.st_mode) ? "folder" : "file", path);
  else if (geteuid () == 0) /* who cannot know which user the daemon is */
    g_set_error (
        error, PRUNED_ERROR, PRUNED_FATAL,
        "%s: this %s, which says what is removed, belongs to user %u, not to root: if the daemon "
        "runs as that user, run this command so, too (runuser -u USER -- pruned ...), else: chown "
        "root %s",
        path, S_ISDIR (file.st_mode) ? "folder" : "file", (guint)file.st_uid, path);
  else
    g_set_error (
        error, PRUNED_ERROR, PRUNED_FATAL,
        "%s: this %s, which says what is removed, belongs to user %u, neither to root nor to "
        "the user of this process (%u): chown root %s",
        path, S_ISDIR (file.st_mode) ? "folder" : "file", (guint)file.st_uid, (guint)geteuid (),
        path);
  return FALSE;
}
