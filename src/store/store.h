/* The stores of this process, made from `[store.*]`. Jobs: pruned/store.h.
 *
 * Threads: stores_start and stores_stop: main, before and after all others. Ownership: as said.
 */
#pragma once
#include "base/error.h"
#include "config/config.h"
#include "pruned/store.h"

/* PRUNED_FATAL names the setting. Threads of the stores are started when first used. */
gboolean stores_start (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void stores_stop (void);

/* A part of a batch: objects of one store. The store calls store_part_done when each has its
 * result. */
typedef struct {
  StoreBatch *batch;
  GPtrArray *objects; /* of StoreObject, borrowed */
  int file_store;
} StorePart;
/* DOWN: the store is down, come again in RETRY_MS (NULL: it is not, and may be asked again). Frees
 * the part. */
void store_part_done (StorePart *part, const char *down, gint64 retry_ms);
gboolean store_part_over (const StorePart *part); /* cancelled, or the deadline is past */
gboolean store_part_cancelled (const StorePart *part);

typedef struct {
  void (*delete_part) (gpointer store, StorePart *part); /* takes the part */
  void (*free) (gpointer store);
} StoreKind;

/* Key or path of an object: PREFIX, dir, file, joined by exactly one slash each. g_free it. */
char *store_key (const char *prefix, const StoreObject *object);
