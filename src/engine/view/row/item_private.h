/* What item.c (items as arguments, and their table) and item_key.c (the text of a key as the
 * columns of the table read it) share.
 *
 * Threads: those of the connection. Ownership: who makes an ItemKey owns it.
 */
#pragma once
#include "engine/view/row/item.h"

#define item_wrong(error, ...) ((void)error_reject (error, __VA_ARGS__), ITEM_WRONG)

/* The primary key of a table. */
typedef struct {
  gint64 n; /* number of columns of the primary key */
  gboolean numbers;
  const char *columns; /* for people */
  json_t *each;        /* their names, and whether they hold JSON */
} ItemKey;

/* Reads ITEM's text as KEY: into ITEM's key. WHOLE, and the ends: item_check. */
ItemEnd item_take_key (Item *item, Pg *pg, gboolean whole, const ItemKey *key, GError **error);
/* Finds the keys that are recorded, and equal to ITEM's by the operator of the key's index, into
 * its spellings. ITEM's is one that is recorded, if one is. */
gboolean item_take_spellings (Item *item, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
