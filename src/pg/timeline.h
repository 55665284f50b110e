/* Timelines: where a standby is promoted, the database goes on with the next one (PostgreSQL's
 * manual, "Timelines"). A server with an older one than this process has met was left behind: what
 * it has, and what would be written to it, is thrown away. It is the same database to all who look
 * (system identifier, identity), and takes connections as before if nobody has fenced it.
 *
 * The newest timeline of a system identifier is known to the whole process. A standby has none, and
 * neither has a server that does not say (some services do not): nothing is compared then.
 *
 * Threads: that of PG; timeline_newest any.
 */
#pragma once
#include "pg/pg.h"

/* Asks the server that has just been connected to, and before there is a pipeline. FALSE:
 * PRUNED_OUTAGE; it was left behind (`left_behind`), or does not answer, and the connection is
 * closed. */
gboolean timeline_check (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Of the servers with the identifier SYSTEM that this process has met; 0: not known. *HOST, unless
 * HOST is NULL: which it was, as pg_host says it; else unchanged; g_free it. */
gint64 timeline_newest (const char *system, char **host);
