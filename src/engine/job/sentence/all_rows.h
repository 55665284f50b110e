/* The pages of a sentence whose condition fails for a row: a search for rows by it fails as a
 * whole, while decide.sql asks about each row by itself. Rows in quarantine are known to be such.
 * As long as there are no others, only they are asked by themselves.
 *
 * Threads: any. Ownership: the caller's.
 */
#pragma once
#include "engine/job/sentence/sentence.h"
#include "engine/job/sentence/words.h"

/* The page of SENTENCE with its rows in quarantine, and with those of the others that its condition
 * names. NULL: as below. */
char *all_rows_known (const Sentence *sentence, Words *words);
/* The page of SENTENCE with all rows of its table, from the WORDS of its other files. NULL: a row
 * cannot be decided about by itself. */
char *all_rows_page (const Sentence *sentence, Words *words);
