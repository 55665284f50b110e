/* PostgreSQL may be set back, or Kafka, under a daemon that runs on. A lane of intake would notice
 * with its next message only, and what was lost would wait for that; so the dispatcher compares
 * where the lanes are with what PostgreSQL knows of it (docs/rules.md, invariant 7), and what they
 * have taken with what Kafka has.
 *
 * Threads: as said at each function. Ownership: none.
 */
#pragma once
#include "engine/lane/lane.h"
#include "engine/service/service.h"

/* Lanes of intake that are ahead of PostgreSQL are woken, to look again where to begin. Thread:
 * dispatcher. */
gboolean astray_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether LANE was found ahead since it was last asked. Thread: the worker that has it. */
gboolean astray_take (Lanes *lanes, Lane *lane);
