/* Before a daemon takes a message: whose topics, and whose consumer group, are these?
 *
 * The topics belong to one database (outbox/owner.h). If a process is in the group that this
 * database does not know (clock/group.h), the younger one, this one, takes no partition.
 *
 * Threads: main, before there are others; it blocks. Ownership: see each function.
 */
#pragma once
#include "engine/clock/group.h"

/* The exit code that it means; ERROR has the words. */
typedef enum {
  WHOSE_OURS = 0,
  WHOSE_OTHERS = 2, /* another database's; both are named */
  WHOSE_POSTGRES = 3,
  WHOSE_KAFKA = 4
} Whose;

/* EMBEDDED: nobody else has the broker, so only the database is looked at. If they are ours,
 * messages have their origin from here on. */
Whose whose_check (Service *service, gboolean embedded, GError **error);
