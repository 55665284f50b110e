/* Looks for rows that should have gone by now (step/overdue.h), each job once a minute, by one of
 * all processes. What it finds is in pruned.overdue, where all of them read it for their metrics.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

gboolean overdue_rows_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
