/* The pages of a sentence whose condition fails for a row: a search for rows by it fails as a
 * whole, while decide.sql asks about each row by itself.
 *
 * Threads: any. Ownership: the caller's.
 */
#pragma once
#include "engine/job/sentence/sentence.h"
#include "engine/job/sentence/words.h"

/* The page of SENTENCE with all rows of its table, from the WORDS of its other files. NULL: a row
 * cannot be decided about by itself. */
char *all_rows_page (const Sentence *sentence, Words *words);
