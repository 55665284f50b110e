/* What the parts of a sweep share.
 *
 * Threads: a worker. Ownership: as sweep.h.
 */
#pragma once
#include "jobs/shared/sweep.h"

/* Keys below keys; rows that lie deeper or in a circle stay, with what they refer to. */
#define SWEEP_DEPTH 12

#define SWEEP_NAMED(sweep)                                                                         \
  "user_id", (sweep)->user_id, "project", (sweep)->projects, "namespace", (sweep)->namespaces,     \
      "group", (sweep)->groups, "member", (sweep)->members

/* The statements of cascades.sql, and its parameters. The connection has them. NULL: error. */
const PgRows *sweep_statements (const Sweep *sweep, const char *relation, const char *condition,
                                int depth, const char *except, GError **error);
