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

/* How jobs write keys of the table that was read last: the catalogue says it, which takes longer
 * than all the rest. */
typedef struct {
  char *tab;
  const PgStatement *statement; /* NULL: nobody can say */
} RowNameLast;
void row_name_last_clear (RowNameLast *last);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RowNameLast, row_name_last_clear)

/* Of TEXT, TABLE:KEY. In transactions of its own. LAST: {0} for the first of several; NULL: there
 * is one. */
ItemEnd row_name_read (const Jobs *jobs, Pg *pg, const char *text, RowNameLast *last, RowName *row,
                       GError **error);

/* The statement that finds which rows of a table exist (there.sql), NAME for people. OWN: the key
 * as jobs write it, as SQL about a row of ALIAS; NULL: a key of one column, or nobody asks. NULL:
 * PRUNED_REJECT says why rows of it cannot be named. */
const PgStatement *row_name_there (Pg *pg, const char *tab, const char *name, const char *own,
                                   const char *alias, GError **error);
