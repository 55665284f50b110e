/* Maps SQLSTATE to a verdict (docs/rules.md); no other code does.
 * Threads: any. Ownership: takes none.
 */
#pragma once
#include "pg/pg.h"

#include <libpq-fe.h>

/* Sets ERROR from a failed RESULT of STATEMENT (can be NULL). CANCELLED: pg_cancel was called. */
void verdict_set_error (const PGresult *result, const PgStatement *statement, gboolean cancelled,
                        GError **error);
/* What STATEMENT (can be NULL) has waited for in vain. */
PgLock verdict_lock (const PGresult *result, const PgStatement *statement);
/* Whether row-level security can hide rows from this role, and the statement was refused for it. */
gboolean verdict_is_hidden (const PGresult *result);
/* Whether only a new session heals the error. */
gboolean verdict_is_of_session (const PGresult *result);
