/* The rows that a step has chosen to go, their objects, and what has become of these (objects.h).
 *
 * Threads: a worker; none while the store works. Ownership: chosen_free, chosen_results_clear; what
 * ChosenResults holds is borrowed from its Chosen.
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
} Chosen;

Chosen *chosen_new (void);
void chosen_free (gpointer chosen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Chosen, chosen_free)
GPtrArray *chosen_copy (const GPtrArray *texts);
/* Lists the objects of `named` that no row that stays names; they are in BUCKET. */
void chosen_list_objects (Chosen *chosen, const char *bucket);
/* Their keys, as array literals: what a row that stays names, and what is gone. */
char *chosen_shared (const Chosen *chosen);
char *chosen_gone (const Chosen *chosen);

/* What has become of the objects. Texts are borrowed. */
typedef struct {
  GHashTable *objects; /* its key -> StoreObject */
  GHashTable *open;    /* keys of rows whose objects have no answer */
  GHashTable *without; /* key of a row -> its object, which is gone */
  GPtrArray *failed, *reasons;
  gint64 deleted, absent;
} ChosenResults;
ChosenResults chosen_results (const Chosen *chosen);
void chosen_results_clear (ChosenResults *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ChosenResults, chosen_results_clear)
/* The keys that can be settled. If others have no answer, their page comes again, and with it the
 * rows that do not go. */
GPtrArray *chosen_settled (const ChosenResults *results, const Chosen *chosen);
