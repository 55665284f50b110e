/* The columns by which events name rows of a sentence's table (`key = person_id =
 * payload.user.id`), in SQL. A run of such an event has their values in its arguments, as texts
 * (JOB_EVENT_ROWS).
 *
 * Invariant: no value, NULL, and a text that is no value of its column to the last digit name no
 * row.
 *
 * Threads: any. Ownership: g_free what is returned.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"
#include "engine/job/sentence/words.h"

/* Why they cannot be; NULL: they can, or there are none. */
char *sentence_by_refusal (const Sentence *sentence, const CatTable *table);
/* That a row of TABLE has the values of the run. NULL: events name it by its primary key. */
char *sentence_by_condition (const Sentence *sentence, const CatTable *table);
/* The words of write/event_rows.sql. */
void sentence_by_set_words (const Sentence *sentence, const CatTable *table, Words *words);
