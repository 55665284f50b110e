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
  gboolean counts;    /* only to count (below_foresee) */
  gboolean owned; /* queries have a column `pruned_owner` more: the key of the own row with which
                     a row goes */
};

/* Rows of TABLE refer to rows of it that go. */
gboolean below_has_self (const Below *below, const CatTable *table);
/* Queries for COLUMNS (`pruned_1`, ...), g_free them: of the rows of TABLE that go; and of the own
 * table only those that the keys name. The columns of the keys themselves are not read from the
 * table. */
char *below_rows_of (const Below *below, const CatTable *table, const GPtrArray *columns);
char *below_rows_of_keys (const Below *below, const GPtrArray *columns);
/* Rows of KEY's child that ON UPDATE changes. */
typedef struct {
  const CatKey *key;
  char *rows; /* a query for the rows of its parent that change: the columns that KEY names */
} BelowMove;
/* All of a sentence with `set` (BelowMove); of others none. */
GPtrArray *below_moves (const Below *below);
