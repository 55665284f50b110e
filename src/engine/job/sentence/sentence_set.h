/* The columns of `set` and their values, as SQL.
 *
 * Threads: any. Ownership: g_free the texts.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

#define SENTENCE_TIME ":scheduled_at::timestamptz" /* what `:T` is */

/* `email = NULL, name = 'x'` */
char *sentence_set_list (const Sentence *sentence, const CatTable *table);
/* Why a row that is due stays: `unchanged`, or NULL. It stays if it has the values already: a
 * stream of the table's changes would have the change as the next event, for ever. */
char *sentence_set_spared (const Sentence *sentence, const Catalogue *catalogue);
/* A condition on a row of the own table: one of COLUMNS gets another value, as far as that can be
 * asked before. */
char *sentence_set_differs (const Sentence *sentence, const Catalogue *catalogue,
                            const GPtrArray *columns);
/* Of a row of the own table before it changes, as JSON: for each column of `set` what tells its
 * value from others, in a list; an empty list if it is to keep it, or that cannot be asked. */
char *sentence_set_before (const Sentence *sentence, const Catalogue *catalogue);
/* The name of a column that was to get another value, by BEFORE (SQL, such a list), and has the old
 * one: a trigger keeps it. Else NULL. */
char *sentence_set_stays (const Sentence *sentence, const Catalogue *catalogue, const char *before);
