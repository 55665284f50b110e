/* Fills in SQL texts, mostly those of src/engine/job/sentence/write, in which `{word}` stands for a
 * piece of SQL. What a word is replaced by is not read again, so pieces may contain braces.
 *
 * Threads: any, one for each Words. Ownership: Words owns its texts.
 */
#pragma once
#include <glib.h>

typedef GHashTable Words; /* word -> text */
Words *words_new (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Words, g_hash_table_unref)
void words_set (Words *words, const char *word, const char *text);
void words_take (Words *words, const char *word, char *text);
/* The text of the file FILE there; a word without a text is a bug. g_free it. */
char *words_fill (Words *words, const char *file);
/* The same of the embedded file PATH. */
char *words_fill_path (Words *words, const char *path);
