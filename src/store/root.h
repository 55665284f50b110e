/* The folder of the local store, and whether it is that of the store: where a disk is not mounted, there is an empty folder, or what
 * lay beneath the disk, and what is absent there is not gone. So nothing is believed of a folder without its marker; without a setting
 * for that, of one that is on another file system than before.
 *
 * Threads: one at a time. Ownership: the caller's; root_clear.
 */
#pragma once
#include "config/config.h"

#include <sys/types.h>

typedef struct {
  char *path;
  char *marker;   /* a file beneath it; NULL: none */
  gboolean known; /* it has been used */
  dev_t device;
} Root;

/* From `[store.local]`. PRUNED_FATAL: the marker's name is none. */
gboolean root_init (Root *root, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void root_clear (Root *root);
/* Opens it for reading; -1: *WHY (g_free) says what is wrong with it. */
int root_open (Root *root, char **why);
/* Nothing is in FOLDER, the open root, and no marker vouches for it: gone, or not mounted? Who wants the root empty can have it so. */
gboolean root_is_bare (const Root *root, int folder);
