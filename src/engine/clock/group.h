/* Whether the consumer group is this database's. It is if each of its members is a process that
 * this database knows: a daemon's client.id has its id in `pruned.processes`. A member that stays
 * unknown works for a copy of this database that cannot be told from it (a snapshot of its disk).
 *
 * Asked before a process joins (../whose.h), and again each time it has got partitions: two that
 * start at the same time see each other only then. The younger one, by the time in its id, ends.
 *
 * Threads: as said; all block. Ownership: see each function.
 */
#pragma once
#include "engine/service/service.h"
#include "kafka/inspect.h"

/* Adds this daemon's client.id to SETTINGS, pairs of names and values; one that the user gives
 * stays, and then others cannot tell whose process it is. Thread: main. */
void group_name_client (GPtrArray *settings);

/* The id in `pruned.processes` that MEMBER's client.id has; NULL: none. Thread: any. */
const char *group_process_of (const KafkaMember *member);
/* Those of MEMBERS (of KafkaMember) that are daemons of this program and no running process of the
 * database, as `process id at host, ...`; "": there are none. NULL: an error of PostgreSQL. g_free
 * it. Thread: any. */
char *group_strangers (Pg *pg, const GPtrArray *members, GError **error);
/* The same of the group; *STRANGERS: NULL if it cannot be known, because the broker does not say
 * who is in it. *OLDER: one of them began before this process. FALSE: an error of PostgreSQL.
 * Thread: any. */
gboolean group_ask (const Service *service, Pg *pg, char **strangers, gboolean *older,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* How long a member may be unknown: that of a killed process is in the group until its session's
 * end, and perhaps longer than its row counts. A process has its row before it joins. */
gint64 group_patience_us (const Service *service);
/* PRUNED_FATAL: this process must leave the group to STRANGERS. */
void group_set_error (const Service *service, const char *strangers, GError **error);

/* A part of housekeeping: asks after partitions have come, until nobody is unknown. Ends the
 * process if an older one stays unknown; fails if a younger one does. Thread: housekeeping. */
gboolean group_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
