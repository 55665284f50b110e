/* Which database this is: its identity, which `pruned migrate` gives it (`pruned.identity`). It
 * stays when the database is restored from a backup or promoted, since the server's system
 * identifier and the database's oid stay then. If one of them differs, this is a copy (from a dump,
 * or CREATE DATABASE ... TEMPLATE), or the database has moved; which of the two, only the user
 * knows.
 *
 * Threads: a Pg belongs to one. Ownership: origin_clear what was read.
 */
#pragma once
#include "engine/service/envelope.h"
#include "pg/pg.h"

/* *THERE: this role can ask for its identity. No schema, an old one, or no right: FALSE. */
gboolean database_is_there (Pg *pg, gboolean *there, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Its identity, name and host, and whether it has moved. */
gboolean database_look (Pg *pg, Origin *origin, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* PRUNED_FATAL, with what to do: the database of ORIGIN has moved, or has no identity. */
gboolean database_check (const Origin *origin, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* In the open transaction of PG: the database is here; ANEW: as another one than before. *DATABASE:
 * its identity; g_free it. */
gboolean database_put (Pg *pg, gboolean anew, char **database, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
