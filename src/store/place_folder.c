/* A folder as a place. A file is written under another name, and gets its own once the disk has all
 * of it; then the disk has the name, too. Links are not followed: neither the folder nor what is in
 * it may be one. */
#include "store/place_private.h"

#include "base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROBE ".pruned-looks"

static char *
said (const char *folder, const char *what)
{
  return g_strdup_printf ("%s: %s", folder, what);
}

/* FOLDER, opened; -1: *WHY (g_free it) says why not. */
static int
open_folder (const char *folder, char **why)
{
  struct stat info;
  g_autofree char *path = g_strdup (folder);
  while (strlen (path) > 1 && g_str_has_suffix (path, "/")) /* a slash would follow a link */
    path[strlen (path) - 1] = '\0';
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int saved = errno;
  if (fd < 0) {
    const gboolean link = lstat (path, &info) == 0 && S_ISLNK (info.st_mode);
    *why = said (folder, link ? "it is a link: name the folder itself" : g_strerror (saved));
    return -1;
  }
  if (fstat (fd, &info) != 0)
    *why = said (folder, g_strerror (errno));
  else if (info.st_uid != 0 && info.st_uid != geteuid ())
    *why = g_strdup_printf ("%s: it belongs to user %u, who could remove what is in it, and not to "
                            "the user of this process (%u) or to root",
                            folder, (guint)info.st_uid, (guint)geteuid ());
  else if ((info.st_mode & S_IWOTH) != 0)
    *why = g_strdup_printf ("%s: everybody may write there, and remove what is in it: chmod o-w %s",
                            folder, folder);
  if (*why == NULL)
    return fd;
  close (fd);
  return -1;
}

static gboolean
write_all (int fd, GBytes *content)
{
  gsize len;
  const char *data = g_bytes_get_data (content, &len);
  while (len > 0) {
    const ssize_t n = write (fd, data, len);
    if (n < 0 && errno != EINTR)
      return FALSE;
    data += MAX (n, 0);
    len -= (gsize)MAX (n, 0);
  }
  return fsync (fd) == 0;
}

/* The folder NAME in ROOT; it is made. -1: errno says why not. */
static int
open_within (int root, const char *name)
{
  if (mkdirat (root, name, 0700) == 0) {
    if (fsync (root) != 0)
      return -1;
  } else if (errno != EEXIST)
    return -1;
  return openat (root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* FALSE: errno says why not, and nothing is left. */
static gboolean
put_in (int folder, const char *name, GBytes *content)
{
  g_autofree char *part
      = g_strdup_printf (".%s.%08x%08x.part", name, g_random_int (), g_random_int ());
  int fd = openat (folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return FALSE;
  gboolean ok = write_all (fd, content);
  int saved = errno;
  if (close (fd) != 0 && ok) {
    ok = FALSE;
    saved = errno;
  }
  FAULT ("archive.part_written");
  if (ok && renameat (folder, part, folder, name) == 0)
    return fsync (folder) == 0;
  saved = ok ? errno : saved;
  unlinkat (folder, part, 0);
  errno = saved;
  return FALSE;
}

char *
place_folder_put (const char *folder, const char *name, GBytes *content)
{
  char *why = NULL;
  int root = open_folder (folder, &why);
  if (root < 0)
    return why;
  g_autofree char *within = g_path_get_dirname (name), *file = g_path_get_basename (name);
  int fd = open_within (root, within);
  if (fd < 0 || !put_in (fd, file, content))
    why = g_strdup_printf ("%s/%s: %s", folder, within, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  close (root);
  return why;
}

static gboolean
read_all (int fd, GByteArray *out)
{
  guint8 piece[65536];
  ssize_t n;
  while ((n = read (fd, piece, sizeof piece)) != 0) {
    if (n < 0 && errno != EINTR)
      return FALSE;
    g_byte_array_append (out, piece, (guint)MAX (n, 0));
    if (out->len > PLACE_MOST_BYTES) {
      errno = EFBIG;
      return FALSE;
    }
  }
  return TRUE;
}

GBytes *
place_folder_get (const char *path, GError **error)
{
  struct stat info;
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return error_null (error, PRUNED_OUTAGE, "%s", g_strerror (errno));
  g_autoptr (GByteArray) out = g_byte_array_new ();
  const gboolean regular = fstat (fd, &info) == 0 && S_ISREG (info.st_mode),
                 ok = regular && read_all (fd, out);
  const int saved = errno;
  close (fd);
  if (!ok)
    return error_null (error, PRUNED_OUTAGE, "%s",
                       regular ? g_strerror (saved) : "it is no regular file");
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

char *
place_folder_probe (const char *folder)
{
  char *why = NULL;
  int root = open_folder (folder, &why);
  if (root < 0)
    return why;
  g_autoptr (GBytes) one = g_bytes_new_static ("\n", 1);
  if (!put_in (root, PROBE, one))
    why = said (folder, g_strerror (errno));
  else if (unlinkat (root, PROBE, 0) != 0)
    why = said (folder, g_strerror (errno));
  close (root);
  return why;
}
