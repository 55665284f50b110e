/* The stores of this process, made from `[store.*]`. Jobs use pruned/store.h.
 *
 * Threads: stores_start and stores_stop: main, before the others start and after they have ended.
 * Ownership: see each function.
 */
#pragma once
#include "base/error.h"
#include "config/config.h"
#include "pruned/store.h"

/* PRUNED_FATAL names the setting. Threads of the stores are started when first used. */
gboolean stores_start (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void stores_stop (void);
/* Requests begin before UNTIL_US (monotonic) only; objects that none was sent for by then stay
 * open. Without a call there is no such time. Thread: any. */
void stores_allow_until (gint64 until_us);

/* A part of a batch: objects of one store. The store calls store_part_done when each has its
 * result. */
typedef struct {
  StoreBatch *batch;
  GPtrArray *objects; /* of StoreObject, borrowed */
  int file_store;
} StorePart;
/* Ends a part and frees it. DOWN: why the store is down; use it again in RETRY_MS. NULL: the store
 * is up. */
void store_part_done (StorePart *part, const char *down, gint64 retry_ms);
gboolean store_part_over (const StorePart *part); /* cancelled, or past the deadline */
gboolean store_part_cancelled (const StorePart *part);
/* May another request begin? Not if the part is over, and not once the stores were not allowed any
 * (stores_allow_until): then this batch begins none any more. */
gboolean store_part_goes_on (const StorePart *part);
gboolean store_part_shut (const StorePart *part); /* it was not allowed any */

typedef struct {
  void (*delete_part) (gpointer store, StorePart *part); /* takes the part */
  void (*free) (gpointer store);
} StoreKind;

/* Key or path of an object: PREFIX, dir, file, joined by exactly one slash each. g_free it. */
char *store_key (const char *prefix, const StoreObject *object);
