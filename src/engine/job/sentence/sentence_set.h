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
