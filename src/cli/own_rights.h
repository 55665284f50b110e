/* The rights on the tables and functions of schema pruned that a daemon's role needs: one list, for
 * `pruned grants` and `pruned doctor`.
 *
 * Threads: main. Ownership: the list is static.
 */
#pragma once
#include "pg/pg.h"

/* The days of the audit and of the archive are used through their parents only. `deletions` can be
 * read and added to: its rows stay until they are old enough (pruned.drop_days). */
typedef struct {
  const char *table, *rights; /* `SELECT, INSERT` */
} OwnRights;
extern const OwnRights own_rights[];      /* the last table is NULL */
extern const char own_rights_functions[]; /* with arguments, separated by commas */

/* As array literals: `name`, and `rights` of each. */
void own_rights_values (PgValues *values);
