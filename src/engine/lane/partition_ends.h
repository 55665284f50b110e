/* Partitions whose end lies behind the last message: transactional producers write markers, and
 * aborted messages, that have offsets and are no messages. PostgreSQL stores up to where there are
 * no messages. Otherwise these offsets would count as lost messages once Kafka drops them. What
 * follows the messages of a batch is stored with them, so that no death comes between. What comes
 * later without a message is stored as soon as it was read. If PostgreSQL refuses that, the process
 * remembers it, and housekeeping stores it.
 *
 * Threads: see each function. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Where the partition of LANE ends, `end_seen`, which lies behind NEXT, where its next message
 * would be, if nothing was dropped in between; -1: not so, or not known. Thread: the worker that
 * holds LANE. */
gint64 partition_ends_behind (const Lane *lane, gint64 next);
/* Stores the end that LANE has reached without a message. Thread: the worker that holds LANE. */
void partition_ends_reached (Service *service, Pg *pg, Lane *lane);
/* Notes the ends of VIEWS. A lane whose next messages were dropped unread begins again. FALSE:
 * PostgreSQL refused. Thread: housekeeping. */
gboolean partition_ends_look (Service *service, Pg *pg, const GArray *views, GError **error);
/* Whether there is nothing to note. Thread: housekeeping and idle check. */
gboolean partition_ends_noted (const LaneView *view);
