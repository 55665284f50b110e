/* The rows that a step has chosen to go, their objects, and what has become of these (objects.h).
 *
 * Threads: a worker; none while the store works. Ownership: object_rows_free, object_results_clear;
 * what ObjectResults holds is borrowed from its ObjectRows.
 */
#pragma once
#include "engine/step/page_keys.h"
#include "pruned/store.h"

typedef struct {
  StoreList list; /* the objects to delete, each once */
  char *bucket;
  Page page;
  GPtrArray *going;            /* keys of the rows that are to go */
  PgRows *named;               /* their objects: key, object, shared; NULL: none go */
  GPtrArray *failed, *reasons; /* keys that PostgreSQL refuses, and why */
  GPtrArray *busy;             /* keys that other sessions hold */
} ObjectRows;

ObjectRows *object_rows_new (void);
void object_rows_free (gpointer rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ObjectRows, object_rows_free)
GPtrArray *object_rows_copy_texts (const GPtrArray *texts);
/* Lists the objects of `named` that no row that stays names; they are in BUCKET. */
void object_rows_list_objects (ObjectRows *rows, const char *bucket);
/* Their keys, as array literals: what a row that stays names, and what is gone. */
char *object_rows_shared (const ObjectRows *rows);
char *object_rows_gone (const ObjectRows *rows);

/* What has become of the objects. Texts are borrowed. */
typedef struct {
  GHashTable *objects; /* its key -> StoreObject */
  GHashTable *open;    /* keys of rows whose objects have no answer */
  GHashTable *without; /* key of a row -> its object, which is gone */
  GPtrArray *failed, *reasons;
  gint64 deleted, absent;
} ObjectResults;
ObjectResults object_results (const ObjectRows *rows);
void object_results_clear (ObjectResults *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ObjectResults, object_results_clear)
/* The keys that can be settled. If others have no answer, their page comes again, and with it the
 * rows that do not go. */
GPtrArray *object_rows_settled (const ObjectResults *results, const ObjectRows *rows);
