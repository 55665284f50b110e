/* Cron without a leader: `pruned.schedules (job, next_at)`. Any process that finds a row due
 * publishes the tick, waits for the acknowledgement, and then advances next_at if it is unchanged.
 * A tick that is published twice is one run.
 *
 * A tick is missed when a later one was due too, or when it is more than a minute late (the service
 * was down). `catch_up = last`: the latest runs, the older ones are recorded as skipped; `none`:
 * all missed ones are recorded; `all`: one after the other, each when no unfinished run holds the
 * key. Ticks older than the ledger keeps are only recorded; of all missed ticks the youngest
 * thousand are.
 *
 * Threads: the dispatcher; schedule_plant: main before it, and the dispatcher after a reload;
 * schedule_mend: housekeeping.
 * Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

gboolean schedule_plant (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Fires what is due. */
gboolean schedule_fire (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Lowers *WAIT_US to the time until the next tick. */
gboolean schedule_next (Service *service, Pg *pg, gint64 *wait_us, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Plants next_at again where it lies beyond the schedule's next time. */
gboolean schedule_mend (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
