/* What the clocks agree on. Three are compared: the database's, this machine's and the broker's
 * (broker_clock.h). One wrong clock must neither fire a tick early nor drop rows.
 *
 * Threads: clocks_reached: the dispatcher's; clocks_agree: any. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Has the time of the tick at NEXT_US come by every clock that answers? *NOW_US comes in as the
 * database's time, and is lowered to the time up to which ticks can be fired. *ASKED: the broker
 * is being asked; call again when woken. */
gboolean clocks_reached (Service *service, gint64 next_us, gint64 *now_us, gboolean *asked);

/* Whether the database's clock and this machine's differed by less than MOST_US at the last
 * comparison (clock_set_back.h). If not, the text OTHERWISE is logged as a warning, with the
 * difference in seconds. */
gboolean clocks_agree (const Service *service, gint64 most_us, const char *otherwise);
