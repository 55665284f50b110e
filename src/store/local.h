/* A directory as a store. Never touches anything outside its root: every path is opened beneath the
 * root without following symbolic links (beneath.h).
 *
 * Threads: local_new, its free: main; delete_parts: any; a separate thread does the work.
 * Ownership: store.c.
 */
#pragma once
#include "config/config.h"
#include "store/part.h"

/* PRUNED_FATAL names the setting; PRUNED_OUTAGE: there is no thread for it. */
gpointer local_new (const Config *config, GError **error);
extern const StoreKind local_kind;
/* Opens the folder of OBJECT beneath the open ROOT. -1: see errno. PATH: of the folder; NAME: of
 * the object in it, empty if its path ends with a slash; g_free both. */
int local_open_folder (int root, const StoreObject *object, char **path, char **name);
