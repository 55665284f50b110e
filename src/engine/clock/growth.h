/* PostgreSQL keeps the plan of a prepared statement until the table is analyzed. One that was made
 * while the ledger was empty reads all of it when it has a million rows, and autovacuum may be busy
 * elsewhere for hours. So when the ledger has grown, plans are made anew.
 *
 * Threads: the dispatcher. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Counts `plans` of SERVICE up each time the ledger has doubled, from a megabyte on. */
gboolean growth_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
