/* `keep`, as SQL.
 *
 * Threads: any. Ownership: the caller frees the text with g_free.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* A condition on a row of TABLE for which WHERE holds: it is not among those of its group that
 * stay. The outer row is passed in under other names, because WHERE knows the table by its own. */
char *sentence_keep_beyond (const Sentence *sentence, const CatTable *table, const char *where);
