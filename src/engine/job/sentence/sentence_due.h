/* Which column makes the rows of a sentence due.
 *
 * Threads: any. Ownership: the column is borrowed from the table.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* What `due` says, else the only column with a time or a date that the condition names, else the
 * only one that it names. NULL: there are none, or several. */
const CatColumn *sentence_due_column (const Sentence *sentence, const CatTable *table);
