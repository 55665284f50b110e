/* PostgreSQL or Kafka can be set back to an earlier state while a daemon runs. A lane of intake
 * would notice that only with its next message, and the lost messages would wait until then. So
 * housekeeping compares the lanes' positions with PostgreSQL (docs/rules.md, invariant 7), and
 * the messages that they have taken with Kafka.
 *
 * Threads: see each function. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Wakes the lanes of intake that are ahead of PostgreSQL; they look up their start position again.
 * Thread: housekeeping. */
gboolean astray_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether LANE was found ahead since the last call. Thread: the worker that holds it. */
gboolean astray_take (Lanes *lanes, Lane *lane);
