/* PostgreSQL keeps the plan of a prepared statement until the table is analyzed. A plan that was
 * made while the ledger was empty still scans all of it at a million rows, and autovacuum can be
 * busy elsewhere for hours. So statements are planned again when the ledger has grown.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Increments `plans` of SERVICE each time the ledger has doubled, from a megabyte on. */
gboolean growth_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
