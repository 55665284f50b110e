#include "store/local.h"

#include "base/fault.h"
#include "base/log.h"
#include "base/thread.h"
#include "store/beneath.h"
#include "store/root.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOWN_RETRY_MS 30000
#define BARE_EVERY_S 600
#define UNREADABLE_EVERY_S 86400

typedef struct {
  Root root;
  gboolean prune_empty_dirs;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t more;
  GQueue parts; /* of StorePart */
  gboolean stop;
} Local;

/* Removes folders that became empty, from the innermost up to the root. */
static void
prune (int root, const char *folder)
{
  g_autofree char *path = g_strdup (folder);
  while (*path != '\0' && !g_str_equal (path, ".")) {
    g_autofree char *parent = g_path_get_dirname (path), *name = g_path_get_basename (path);
    int fd = beneath_open (root, g_str_equal (parent, ".") ? "" : parent);
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

/* Whether ERROR concerns the machine or the network behind the root, not one object. */
static gboolean
concerns_store (int error)
{
  static const int all[] = { EIO,    EROFS,  ESTALE, ENOTCONN, ETIMEDOUT, EHOSTDOWN,
                             ENODEV, ENOMEM, ENOSPC, EDQUOT,   EMFILE,    ENFILE };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (error == all[i])
      return TRUE;
  return FALSE;
}

/* Sets OBJECT's result by ERROR. TRUE: the cause can be the store. */
static gboolean
fail_by_errno (StoreObject *object, int error)
{
  if (error == ENOENT || error == ENOTDIR) /* ENOTDIR: nothing can be beneath a file */
    object->result = STORE_ABSENT;
  else if (error == ELOOP || error == EXDEV)
    fail (object, STORE_UNSAFE, "unsafe path");
  else
    fail (object, STORE_FAILED, g_strerror (error));
  return concerns_store (error);
}

static gboolean
unlink_in (const Root *root, int folder, const char *name, StoreObject *object)
{
  struct stat info;
  gboolean is_folder = *name == '\0'; /* the path ends with a slash */
  if (!is_folder && fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return fail_by_errno (object, beneath_errno (name));
  if (is_folder || S_ISDIR (info.st_mode))
    fail (object, STORE_FAILED, "is a directory");
  else if (S_ISLNK (info.st_mode))
    fail (object, STORE_UNSAFE, "unsafe path");
  else if (root_is_marker (root, &info))
    fail (object, STORE_FAILED, "is the store's marker");
  else if (unlinkat (folder, name, 0) == 0)
    object->result = STORE_DELETED;
  else
    return fail_by_errno (object, errno);
  return FALSE;
}

int
local_open_folder (int root, const StoreObject *object, char **path, char **name)
{
  g_autofree char *whole = store_key ("", object);
  const char *slash = strrchr (whole, '/');
  *name = g_strdup (slash != NULL ? slash + 1 : whole);
  while (slash != NULL && slash > whole && slash[-1] == '/')
    slash--;
  *path = g_strndup (whole, slash != NULL ? (gsize)(slash - whole) : 0);
  return beneath_open (root, *path);
}

/* TRUE: it failed, and the cause can be the store. */
static gboolean
delete_one (const Local *local, int root, StoreObject *object)
{
  g_autofree char *folder_path = NULL, *name = NULL;
  int folder = local_open_folder (root, object, &folder_path, &name);
  if (folder < 0)
    return fail_by_errno (object, errno);
  gboolean of_the_store = unlink_in (&local->root, folder, name, object);
  close (folder);
  if (local->prune_empty_dirs && object->result == STORE_DELETED)
    prune (root, folder_path);
  return of_the_store;
}

/* If nothing was deleted, and some deletions failed as they do when a disk or its server is away
 * (ILL), the store counts as down, and no object is at fault. Returns the reason, or NULL. */
static char *
whole_store_is_down (const Local *local, const GPtrArray *ill, gboolean some_went)
{
  if (ill->len == 0 || some_went)
    return NULL;
  const StoreObject *first = ill->pdata[0];
  char *words = g_strdup_printf ("[store.local] root %s: %s/%s: %s", local->root.path, first->dir,
                                 first->file, first->error);
  for (guint i = 0; i < ill->len; i++) {
    StoreObject *object = ill->pdata[i];
    object->result = STORE_OPEN;
    g_clear_pointer (&object->error, g_free);
  }
  return words;
}

static void
warn_of_look (const Local *local, RootLook look)
{
  if (look == ROOT_BARE)
    log_warning_every (
        BARE_EVERY_S, "bare root",
        "The local store is empty, so every object counts as gone: is it mounted? See [store.local] marker",
        local->root.path);
  else if (look == ROOT_UNREADABLE)
    log_warning_every (
        UNREADABLE_EVERY_S, "unreadable root",
        "The local store's root cannot be read, so pruned cannot check whether it is mounted. See [store.local] marker",
        local->root.path);
}

static void
delete_all (Local *local, StorePart *part)
{
  g_autofree char *why = NULL;
  int root = root_open (&local->root, &why);
  /* This does not mean that the objects are gone. */
  if (root < 0) {
    store_part_done (part, why, DOWN_RETRY_MS);
    return;
  }
  warn_of_look (local, root_look (&local->root, root));
  g_autoptr (GPtrArray) ill = g_ptr_array_new ();
  gboolean some_went = FALSE;
  for (guint i = 0; i < part->objects->len && store_part_goes_on (part); i++) {
    StoreObject *object = part->objects->pdata[i];
    if (delete_one (local, root, object))
      g_ptr_array_add (ill, object);
    FAULT ("errand.acted_on_one");
    some_went = some_went || object->result == STORE_DELETED || object->result == STORE_ABSENT;
  }
  close (root);
  g_autofree char *words = whole_store_is_down (local, ill, some_went);
  store_part_done (part, words, DOWN_RETRY_MS);
}

static void *
local_main (void *data)
{
  Local *local = data;
  pthread_setname_np (pthread_self (), "local store");
  for (;;) {
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
local_delete (gpointer store, StorePart *const *parts, guint n)
{
  Local *local = store;
  pthread_mutex_lock (&local->lock);
  for (guint i = 0; i < n; i++)
    g_queue_push_tail (&local->parts, parts[i]);
  pthread_cond_signal (&local->more);
  pthread_mutex_unlock (&local->lock);
}

static void
clear (Local *local)
{
  pthread_mutex_destroy (&local->lock);
  pthread_cond_destroy (&local->more);
  root_clear (&local->root);
}

gpointer
local_new (const Config *config, GError **error)
{
  g_autofree Local *local = g_new0 (Local, 1);
  if (!root_init (&local->root, config, error))
    return NULL;
  local->prune_empty_dirs = config_bool (config, "store.local", "prune_empty_dirs");
  pthread_mutex_init (&local->lock, NULL);
  pthread_cond_init (&local->more, NULL);
  if (thread_start (&local->thread, local_main, local, error))
    return g_steal_pointer (&local);
  clear (local);
  return NULL;
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
  clear (local);
  g_free (local);
}

const StoreKind local_kind = { local_delete, local_free };
