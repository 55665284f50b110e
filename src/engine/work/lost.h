/* Ticks and events that expired in Kafka (topic retention) before intake read them: what they asked
 * for cannot be done. They are counted, stored (`pruned.lost_messages`) and logged.
 *
 * Threads: intake. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Stores in the open transaction that FIRST up to NEXT (exclusive) are lost. */
gboolean lost_note (Service *service, Pg *pg, const Lane *lane, gint64 first, gint64 next,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After the commit: logs it. */
void lost_say (const Lane *lane, gint64 first, gint64 next);
/* Logs that Kafka has other messages than were read from FIRST up to NEXT (exclusive), or none. */
void lost_say_others (const Lane *lane, gint64 first, gint64 next);
/* *NEXT: OFFSET, or the low watermark if that is higher. Asks the broker. */
gboolean lost_look (const Lane *lane, gint64 offset, gint64 *next, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
