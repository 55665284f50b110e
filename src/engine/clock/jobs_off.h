/* Runs of jobs that are off: they wait, as in a pause, and say why.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* Those that were due without being sent. */
gboolean jobs_off_look (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
