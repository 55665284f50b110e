/* What is recorded of removed rows, and for how long: [audit] and [runs] of the configuration, as
 * the database wants to hear it.
 *
 * Invariant: how long is kept is decided in the database (`pruned.keeping`, the owner's): a daemon
 * may ask for more, never for less. Threads: any, each with its own Pg. Ownership: as said.
 */
#pragma once
#include "config/config.h"
#include "pg/pg.h"

/* The names of columns that are never recorded, as a regular expression. g_free it. */
char *keeping_secret (const Config *config);
/* What is recorded of single tables, as a JSON object: `{"users":"keys"}`. g_free it. */
char *keeping_rows_of (const Config *config);

/* `what` and `days` of all that the configuration says. */
void keeping_values (const Config *config, PgValues *values);
/* A daemon asks for as much as it is configured to keep. */
gboolean keeping_ask (Pg *pg, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Where the database keeps something else than the configuration says: what, days (as it is),
 * wanted. rows_free it. */
PgRows *keeping_differs (Pg *pg, const Config *config, GError **error);
/* The owner has it as the configuration says. */
gboolean keeping_set (Pg *pg, const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
