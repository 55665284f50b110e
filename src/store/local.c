#include "store/local.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DOWN_RETRY_MS 30000

typedef struct {
  char *root;
  gboolean prune_empty_dirs;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t more;
  GQueue parts; /* of StorePart */
  gboolean stop;
} Local;

/* Component by component, for kernels without openat2. */
static int
walk (int root, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  int folder = dup (root);
  for (guint i = 0; folder >= 0 && names[i] != NULL; i++)
    {
      if (*names[i] == '\0' || g_str_equal (names[i], "."))
        continue;
      int next = openat (folder, names[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      int saved = errno;
      close (folder);
      errno = saved == ENOTDIR ? ELOOP : saved; /* O_NOFOLLOW with O_DIRECTORY answers ENOTDIR for a link */
      folder = next;
    }
  return folder;
}

/* The folder PATH beneath ROOT, or -1 with errno; ELOOP or EXDEV: it would leave the root or follow a link. */
static int
open_beneath (int root, const char *path)
{
  struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
  if (*path == '\0')
    return dup (root);
  int folder = (int)syscall (SYS_openat2, root, path, &how, sizeof how);
  return folder < 0 && errno == ENOSYS ? walk (root, path) : folder;
}

/* Folders that became empty, from the innermost up to the root. */
static void
prune (int root, const char *folder)
{
  g_autofree char *path = g_strdup (folder);
  while (*path != '\0' && !g_str_equal (path, "."))
    {
      g_autofree char *parent = g_path_get_dirname (path), *name = g_path_get_basename (path);
      int fd = open_beneath (root, g_str_equal (parent, ".") ? "" : parent);
      gboolean removed = fd >= 0 && unlinkat (fd, name, AT_REMOVEDIR) == 0;
      if (fd >= 0)
        close (fd);
      if (!removed)
        return;
      g_free (path);
      path = g_steal_pointer (&parent);
    }
}

static void
fail (StoreObject *object, StoreResult result, const char *words)
{
  object->result = result;
  object->error = g_strdup (words);
}

static void
unlink_in (int folder, const char *name, StoreObject *object)
{
  struct stat info;
  if (fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    {
      if (errno == ENOENT)
        object->result = STORE_ABSENT;
      else
        fail (object, STORE_FAILED, g_strerror (errno));
    }
  else if (S_ISLNK (info.st_mode))
    fail (object, STORE_UNSAFE, "unsafe path");
  else if (S_ISDIR (info.st_mode))
    fail (object, STORE_FAILED, "is a directory");
  else if (unlinkat (folder, name, 0) == 0)
    object->result = STORE_DELETED;
  else if (errno == ENOENT)
    object->result = STORE_ABSENT;
  else
    fail (object, STORE_FAILED, g_strerror (errno));
}

static void
delete_one (const Local *local, int root, StoreObject *object)
{
  g_autofree char *path = store_key ("", object), *folder_name = g_path_get_dirname (path), *name = g_path_get_basename (path);
  const char *folder_path = g_str_equal (folder_name, ".") ? "" : folder_name;
  int folder = open_beneath (root, folder_path);
  if (folder < 0)
    {
      if (errno == ENOENT || errno == ENOTDIR) /* nothing can be beneath a file */
        object->result = STORE_ABSENT;
      else if (errno == ELOOP || errno == EXDEV)
        fail (object, STORE_UNSAFE, "unsafe path");
      else
        fail (object, STORE_FAILED, g_strerror (errno));
      return;
    }
  unlink_in (folder, name, object);
  close (folder);
  if (local->prune_empty_dirs && object->result == STORE_DELETED)
    prune (root, folder_path);
}

static void
delete_all (const Local *local, StorePart *part)
{
  int root = open (local->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) /* a missing root is no reason to believe that the objects are gone */
    {
      g_autofree char *words = g_strdup_printf ("[store.local] root %s: %s", local->root, g_strerror (errno));
      store_part_done (part, words, DOWN_RETRY_MS);
      return;
    }
  for (guint i = 0; i < part->objects->len && !store_part_over (part); i++)
    delete_one (local, root, part->objects->pdata[i]);
  close (root);
  store_part_done (part, NULL, 0);
}

static void *
local_main (void *data)
{
  Local *local = data;
  pthread_setname_np (pthread_self (), "local store");
  for (;;)
    {
      pthread_mutex_lock (&local->lock);
      while (local->parts.length == 0 && !local->stop)
        pthread_cond_wait (&local->more, &local->lock);
      StorePart *part = g_queue_pop_head (&local->parts);
      pthread_mutex_unlock (&local->lock);
      if (part == NULL)
        return NULL;
      delete_all (local, part);
    }
}

static void
local_delete (gpointer store, StorePart *part)
{
  Local *local = store;
  pthread_mutex_lock (&local->lock);
  g_queue_push_tail (&local->parts, part);
  pthread_cond_signal (&local->more);
  pthread_mutex_unlock (&local->lock);
}

gpointer
local_new (const char *root, gboolean prune_empty_dirs)
{
  Local *local = g_new0 (Local, 1);
  local->root = g_strdup (root);
  local->prune_empty_dirs = prune_empty_dirs;
  pthread_mutex_init (&local->lock, NULL);
  pthread_cond_init (&local->more, NULL);
  if (pthread_create (&local->thread, NULL, local_main, local) != 0)
    g_error ("cannot start a thread");
  return local;
}

static void
local_free (gpointer store)
{
  Local *local = store;
  pthread_mutex_lock (&local->lock);
  local->stop = TRUE;
  pthread_cond_signal (&local->more);
  pthread_mutex_unlock (&local->lock);
  pthread_join (local->thread, NULL);
  pthread_mutex_destroy (&local->lock);
  pthread_cond_destroy (&local->more);
  g_free (local->root);
  g_free (local);
}

const StoreKind local_kind = { local_delete, local_free };
