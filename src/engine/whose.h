/* Before a daemon takes a message: whose topics, and whose consumer group, are these?
 *
 * The topics belong to one database (outbox/owner.h). The group is this database's if each of its
 * members is a process that this database knows: a daemon's client.id has its id in
 * `pruned.processes`. A member that stays unknown works for a copy of this database that cannot be
 * told from it (a snapshot of its disk). Then the younger process, this one, takes no partition.
 *
 * Threads: main, before there are others; both functions block. Ownership: see each function.
 */
#pragma once
#include "engine/service/service.h"
#include "kafka/inspect.h"

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

/* Those of MEMBERS (of KafkaMember) that are daemons of this program and no running process of the
 * database, as `pid or id at host, ...`; "": there are none. NULL: an error of PostgreSQL. g_free
 * it. */
char *whose_strangers (Pg *pg, const GPtrArray *members, GError **error);
/* Adds this daemon's client.id to SETTINGS, pairs of names and values; one that the user gives
 * stays, and then others cannot tell whose process it is. */
void whose_name_client (GPtrArray *settings);
