/* A key as people write it, read as the columns of a table's primary key.
 *
 * Threads: that of the connection. Ownership: g_free what is returned.
 */
#pragma once
#include "pg/pg.h"

/* *KEY: what PARTS, a text for each column of the key of TABLE (as SQL writes it), are in the
 * audit, as JSON; NULL: a column would cut or round it. *IN_JSON: the same as rows there have these
 * columns, NULL: alike. PRUNED_REJECT: one of them is no value of its column. In the open
 * transaction of PG. */
gboolean key_read (Pg *pg, const char *table, char **parts, char **key, char **in_json,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
