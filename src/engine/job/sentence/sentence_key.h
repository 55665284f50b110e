/* The key of a sentence's table, from and to texts, in SQL.
 *
 * Invariant: no text is cut or rounded on its way to a key, so it never names another row. Columns
 * are compared with the base type of their type, without its length or precision; what an event
 * says must be exactly a value of the column.
 *
 * Threads: any. Ownership: g_free what is returned.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* What a refusal says of a key that is not exact. */
#define KEY_INEXACT "a column would cut or round it, so it names no row"

/* The rows of the texts :PARAMETER, as a table pruned_k: `pruned_1`, ... are the columns of the
 * primary key. */
char *sentence_key_rows (const CatTable *table, const char *parameter);
/* The same of TEXTS, an item of FROM with two columns: the texts, and numbers. */
char *sentence_key_rows_of (const CatTable *table, const char *texts);
/* What events say, as a table pruned_p with the columns `pruned_1`, ... and their order: a column
 * of the key is a parameter with a list of texts. */
char *sentence_key_parts (const CatTable *table);
/* The parameter of that column of the key; the first is 0. */
char *sentence_key_parameter (guint column);
/* Of a row pruned_p of such columns: the key as the page writes it, and whether it is exactly what
 * the event says. */
char *sentence_key_written (const CatTable *table);
char *sentence_key_is_exact (const CatTable *table);
/* The columns of the row pruned_p as rows of the audit have them, an object; `NULL` of one column.
 */
char *sentence_key_in_json (const CatTable *table);
/* Whether equal keys can be written in several ways; and whether a row of the table has the key of
 * pruned_p, however that is written. */
gboolean sentence_key_has_several_texts (const CatTable *table);
char *sentence_key_matches (const CatTable *table);
