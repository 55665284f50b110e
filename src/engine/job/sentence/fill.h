/* Fills in the SQL texts of src/engine/job/sentence/write, in which `{word}` stands for a piece of
 * SQL. What a word is replaced by is not read again, so pieces may contain braces.
 *
 * Threads: any, one for each Words. Ownership: Words owns its texts.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

typedef GHashTable Words; /* word -> text */
Words *words_new (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Words, g_hash_table_unref)
void words_set (Words *words, const char *word, const char *text);
void words_take (Words *words, const char *word, char *text);
/* The text of the file FILE there; a word without a text is a bug. g_free it. */
char *words_fill (Words *words, const char *file);

/* Adds to OUT, behind BETWEEN if OUT is not empty. */
void list_add (GString *out, const char *between, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* `orders.id = pruned_p.pruned_1 AND ...` for each of COLUMNS of the table OWN. g_free it. */
char *list_equal (const char *own, const GPtrArray *columns, const char *other);
/* `orders.a AS pruned_1, ...` g_free it. */
char *list_named (const char *own, const GPtrArray *columns);
/* What a row of TABLE is called in the audit: its key, an object if it has several columns, the
 * whole row if there is none. g_free it. */
char *list_key (const CatTable *table);
/* The row of TABLE for the audit. It is not made where SENTENCE says that it is not recorded.
 * g_free it. */
char *list_row (const CatTable *table, const Sentence *sentence);
