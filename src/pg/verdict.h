/* From SQLSTATE to verdict: the one place that knows (docs/rules.md).
 * Threads: any. Ownership: none is taken.
 */
#pragma once
#include "pg/pg.h"

#include <libpq-fe.h>

/* Sets ERROR from a failed RESULT of STATEMENT (may be NULL). CANCELLED: we asked for it. */
void verdict_set_error (const PGresult *result, const PgStatement *statement, gboolean cancelled,
                        GError **error);
/* Nothing but another session mends it. */
gboolean verdict_is_of_session (const PGresult *result);
