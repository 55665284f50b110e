/* The SQL of a sentence that drops partitions (`drop_partitions_older_than`). It names partitions
 * instead of rows: page and decision read the catalogue, and what they change is done by
 * engine/step/partitions.h.
 *
 * Threads: any. Ownership: written_free.
 */
#pragma once
#include "engine/job/sentence/sentence_write.h"

/* The files of `apply/removed`, in this order. */
enum { PARTITIONS_BEGIN, PARTITIONS_DROP };

/* NULL with *REFUSAL (g_free it): the table cannot be one of such a sentence; without: ERROR. In
 * the open transaction of PG. */
Written *sentence_partitions_write (Pg *pg, const Sentence *sentence, char **refusal,
                                    GError **error);
