/* The name of a row as jobs, the quarantine and holds write it.
 *
 * Threads: those of the connection. Ownership: row_name_clear.
 */
#pragma once
#include "engine/view/row/item.h"

typedef struct {
  char *tab, *name; /* the table with its schema; as PostgreSQL writes it */
  char *key;        /* as the quarantine has it, and as the row writes it if it is there */
} RowName;
void row_name_clear (RowName *row);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RowName, row_name_clear)

/* Of TEXT, TABLE:KEY. In transactions of its own. */
ItemEnd row_name_read (const Jobs *jobs, Pg *pg, const char *text, RowName *row, GError **error);

/* The statement that finds which rows of a table exist (there.sql), NAME for people. OWN: the key
 * as jobs write it, as SQL about a row of ALIAS; NULL: a key of one column, or nobody asks. NULL:
 * PRUNED_REJECT says why rows of it cannot be named. */
const PgStatement *row_name_there (Pg *pg, const char *tab, const char *name, const char *own,
                                   const char *alias, GError **error);
