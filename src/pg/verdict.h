/* From SQLSTATE to verdict: the one place that knows (DESIGN 7).
 * Threads: any. Ownership: none is taken.
 */
#pragma once
#include "base/error.h"

#include <libpq-fe.h>

/* Sets ERROR from a failed RESULT of the statement NAME (may be NULL). CANCELLED: we asked for it. */
void verdict_set_error (const PGresult *result, const char *name, gboolean cancelled, GError **error);
