/* What store.c hands to a store (local.h, s3.h): a part of the objects to delete. And which stores
 * are down.
 *
 * Threads: any. Ownership: a store that takes a part ends it with store_part_done.
 */
#pragma once
#include "pruned/store.h"

/* Requests begin before UNTIL_US (monotonic) only; objects that none was sent for by then stay
 * open. Without a call there is no such time. */
void stores_allow_until (gint64 until_us);

/* A part of a list: objects of one store. The store calls store_part_done when each has its
 * result. */
typedef struct {
  StoreList *list;
  GPtrArray *objects; /* of StoreObject, borrowed */
  int file_store;
} StorePart;
/* Ends a part and frees it. DOWN: why the store is down; use it again in RETRY_MS. NULL: the store
 * is up. */
void store_part_done (StorePart *part, const char *down, gint64 retry_ms);
gboolean store_part_over (const StorePart *part); /* cancelled, or past the deadline */
gboolean store_part_cancelled (const StorePart *part);
/* May another request begin? Not if the part is over, and not once the stores were not allowed any
 * (stores_allow_until): then this list begins none any more. */
gboolean store_part_goes_on (const StorePart *part);
gboolean store_part_shut (const StorePart *part); /* it was not allowed any */

typedef struct {
  /* Takes the N parts. Objects of several can be in one request. */
  void (*delete_parts) (gpointer store, StorePart *const *parts, guint n);
  void (*free) (gpointer store);
} StoreKind;

/* Key or path of an object: PREFIX, dir, file, joined by exactly one slash each. g_free it. */
char *store_key (const char *prefix, const StoreObject *object);

/* Notes that a store is down, for this list and for later ones. WORDS NULL: the store is up. */
void store_note_down (StoreList *list, int file_store, const char *words, gint64 retry_ms);
/* Forgets what was noted of all stores. Thread: main. */
void store_forget_down (void);
/* One part of LIST has ended; with the last one, `done` is called. */
void store_end_part (StoreList *list);
