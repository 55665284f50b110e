/* What sentence_below.c finds in the catalogue, and sentence_below_write.c makes files of.
 *
 * Threads: as Below. Ownership: arrays hold borrowed keys and tables, but `said`.
 */
#pragma once
#include "engine/job/sentence/sentence_below.h"

struct _Below {
  const Sentence *sentence;
  const Catalogue *catalogue;
  const CatTable *root;
  Words *words;
  GPtrArray *said;    /* of CatKey: children without a foreign key; owned */
  GPtrArray *edges;   /* of CatKey: followed from table to table, without a circle */
  GPtrArray *selves;  /* of CatKey: followed within a table */
  GPtrArray *loose;   /* of CatKey: close a circle */
  GPtrArray *empties; /* of CatKey: only emptied */
  GPtrArray *order;   /* of CatTable: children first, the own table last */
};
