/* Mends times after the database's clock was ahead. What was due "in ten seconds" by the wrong
 * clock would be due years from now: a retry, a next page, a refresh of an account's access, an
 * item's next try. Such times are set back by the difference; a run still never starts before its
 * time, because of the fence.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Mends at the process's start, at once when the database's clock goes back against the monotonic
 * one, and every 15 s (less often if that costs much), because a jump shorter than a second is not
 * seen. */
gboolean clock_set_back_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
