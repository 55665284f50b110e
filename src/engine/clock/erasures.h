/* Erasures wait for the runs that they have started (step/erasure.h). Here they become due, as a
 * set, once these let them go on.
 *
 * Threads: the dispatcher. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* A ChoreFunc. */
gboolean erasures_wake (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
