/* The folder of the local store, and whether it is that of the store: where a disk is not mounted,
 * there is an empty folder, or what lay beneath the disk, and what is absent there is not gone. So
 * nothing is believed of a folder without its marker; without a setting for that, of one that is on
 * another file system than before.
 *
 * Threads: one at a time. Ownership: the caller's; root_clear.
 */
#pragma once
#include "config/config.h"

#include <sys/stat.h>

typedef struct {
  char *path;
  char *marker;   /* a file beneath it; NULL: none */
  gboolean known; /* it has been used */
  dev_t device;
  dev_t marker_device; /* as it was when the root was last opened */
  ino_t marker_inode;
} Root;

typedef enum {
  ROOT_FILLED,    /* something is in it, or a marker vouches for it */
  ROOT_BARE,      /* nothing is: gone, or not mounted? Who wants the root empty can have it so */
  ROOT_UNREADABLE /* it may be passed through, not read */
} RootLook;

/* From `[store.local]`. PRUNED_FATAL: the marker's name is none. */
gboolean root_init (Root *root, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void root_clear (Root *root);
/* Opens it; -1: *WHY (g_free) says what is wrong with it. */
int root_open (Root *root, char **why);
/* What is in FOLDER, the open root. */
RootLook root_look (const Root *root, int folder);
/* INFO is that of the marker, by whatever name. */
gboolean root_is_marker (const Root *root, const struct stat *info);
