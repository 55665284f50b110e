/* The database's clock was ahead and is right again. What was to happen "in ten seconds" then is
 * years away now: a retry, a next page, a refresh of somebody's access, an item's next try. It is
 * brought back to when it was meant, and never before its time: that the fence knows.
 *
 * Threads: the dispatcher. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* At a process's start, at once when the database's clock shows less than one that only runs, and
 * every 15 s or, where that costs much, less often: who is asked once a second sees no jump that is
 * shorter. */
gboolean went_back_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
