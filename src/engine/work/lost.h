/* Ticks and events that Kafka dropped, because they were older than its topic keeps messages,
 * before intake read them: nobody can do what they asked for. They are counted, kept
 * (`pruned.lost_messages`) and said.
 *
 * Threads: intake. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* FIRST up to NEXT (exclusive) are gone: noted in the open transaction. */
gboolean lost_note (Service *service, Pg *pg, const Lane *lane, gint64 first, gint64 next,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After the commit: the line. */
void lost_say (const Lane *lane, gint64 first, gint64 next);
/* Other messages than were taken are there now from FIRST up to NEXT (exclusive), or none: the
 * line. */
void lost_say_others (const Lane *lane, gint64 first, gint64 next);
/* *NEXT: where the log begins by now, if OFFSET is dropped, else OFFSET. Asks the broker. */
gboolean lost_look (const Lane *lane, gint64 offset, gint64 *next, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
