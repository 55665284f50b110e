/* Partitions whose end lies behind the last message: transactional producers write markers, and
 * aborted messages, that have offsets and are no messages. PostgreSQL stores up to where there are
 * no messages. Otherwise these offsets would count as lost messages once Kafka drops them.
 *
 * Threads: housekeeping and idle check. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Notes the ends of VIEWS. A lane whose next messages were dropped unread begins again. FALSE:
 * PostgreSQL refused. */
gboolean ends_look (Service *service, Pg *pg, const GArray *views, GError **error);
/* Whether there is nothing to note. */
gboolean ends_noted (const LaneView *view);
