/* The root folder of the local store, and a check that it is the right one. If its disk is not
 * mounted, the folder is empty or holds other files, and objects that are absent there are not
 * gone. So a folder without its marker is not trusted; if no marker is configured, a folder is not
 * trusted that is on another file system than before.
 *
 * Threads: one at a time. Ownership: the caller's; free it with root_clear.
 */
#pragma once
#include "config/config.h"

#include <sys/stat.h>

typedef struct {
  char *path;
  char *marker;   /* a file beneath the root; NULL: none */
  gboolean known; /* it has been opened before */
  dev_t device;
  dev_t marker_device; /* as it was when the root was last opened */
  ino_t marker_inode;
} Root;

typedef enum {
  ROOT_FILLED,    /* it is not empty, or it has its marker */
  ROOT_BARE,      /* it is empty: perhaps not mounted. An empty root is allowed */
  ROOT_UNREADABLE /* there is the right to pass through it, but not to read it */
} RootLook;

/* From `[store.local]`. PRUNED_FATAL: the marker's name is not valid. */
gboolean root_init (Root *root, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void root_clear (Root *root);
/* Opens the root; -1: failed, *WHY (g_free) says why. */
int root_open (Root *root, char **why);
/* Looks into FOLDER, the open root. */
RootLook root_look (const Root *root, int folder);
/* Whether INFO is that of the marker, under any name. */
gboolean root_is_marker (const Root *root, const struct stat *info);
