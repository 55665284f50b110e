/* `remember` and `born` of a sentence: the rows that it takes are written into the ledger of
 * erasures (outbox/remember.h), so that they go again after an old backup has brought them back
 * (`pruned reapply`). And the sentence of such a run: the same, but its rows are those that the run
 * names.
 *
 * Threads: any. Ownership: what is read belongs to the Sentence.
 */
#pragma once
#include "config/key.h"
#include "engine/job/sentence/catalogue.h"
#include "engine/job/sentence/sections.h"
#include "engine/job/sentence/sentence.h"

/* `born`: no key of the table is ever used twice. */
#define SENTENCE_BORN_NONE "none"

/* The days of `10 years`; 0: TEXT is no such time. */
int sentence_remember_days (const char *text);
gboolean sentence_remember_read (gpointer into, const Key *key, const char *text, GError **error);
gboolean sentence_born_read (gpointer into, const Key *key, const char *text, GError **error);
/* PRUNED_FATAL, with its line: what SENTENCE, of SECTION, cannot remember, or does not say. */
gboolean sentence_remember_check (const Sentence *sentence, const Section *section, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Why `born` names no column of TABLE that says when a row was made; NULL: it does, or it names
 * none. g_free it. */
char *sentence_born_refusal (const Sentence *sentence, const CatTable *table);
/* When a row of TABLE was made, as SQL, never too early, or that nothing says it; NULL: no key is
 * used twice. g_free it. */
char *sentence_born (const Sentence *sentence, const CatTable *table);

/* The condition of a sentence that is `again`: the run names the row (`pruned.reapply`), which is
 * not younger than its erasure. g_free it. */
char *sentence_again_due (const Sentence *sentence, const CatTable *table);
/* The same for a search, by the primary key. g_free it. */
char *sentence_again_found (const CatTable *table);
