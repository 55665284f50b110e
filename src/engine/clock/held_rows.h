/* Rows that `pruned hold` holds and that are not there (step/held.h): how many there are of each
 * table is noted in `pruned.held_tables`, for the metrics.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

gboolean held_rows_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
