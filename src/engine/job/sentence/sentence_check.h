/* Whether the catalogue fits a sentence: its table, and the columns that it names. What it says
 * about children is checked where they are found (sentence_below.h); expressions are PostgreSQL's
 * to check.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* What a refusal begins with that a right of the role would mend. */
#define SENTENCE_HIDDEN "row-level security hides rows of "

/* Why not; NULL: it does. g_free it. */
char *sentence_refusal (const Sentence *sentence, const Catalogue *catalogue);
