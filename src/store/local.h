/* A directory as a store. Nothing outside of its root is ever touched: every path is opened beneath
 * the root without following symbolic links (openat2 where the kernel has it, else component by
 * component).
 *
 * Threads: local_new, its free: main; delete_part: any; the work is done on a thread of its own.
 * Ownership: store.c.
 */
#pragma once
#include "store/store.h"

/* PRUNED_FATAL names the setting. */
gpointer local_new (const Config *config, GError **error);
extern const StoreKind local_kind;
