/* Quiet hours that are changed while runs wait for their end: those of a job that has none any
 * more, or whose end is earlier now, are due then, and not at the end that their rows have.
 *
 * Threads: the dispatcher. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* By the settings in force, which are new. A page of runs; *MORE: there may be others. */
gboolean hours_changed (Pg *pg, gboolean *more, GError **error) G_GNUC_WARN_UNUSED_RESULT;
