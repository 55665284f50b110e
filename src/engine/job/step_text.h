/* What the SQL files of a user's job may be. Each is a statement in the transaction of a step, on a
 * connection that steps of other jobs use next: what it sets or takes must end with the
 * transaction.
 *
 * Threads: any.
 */
#pragma once
#include "base/error.h"

/* TEXT is that of the file at PATH with the files that it includes. PRUNED_FATAL names the file,
 * and the line if it is one of its own. A function of the user's is not looked into. */
gboolean step_text_fits (const char *path, const char *text, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether the query TEXT locks rows. */
gboolean step_text_locks (const char *text);
/* An expression of a sentence fits if it locks no rows and makes none of the calls of step_calls.h.
 */
gboolean step_text_is_condition (const char *expression, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* TEXT of the file at PATH of apply/ is named .update (UPDATES) or .insert. It fits if its verb is
 * none that the name denies; what its parts do is counted when it runs (effects.h). */
gboolean step_text_does (const char *path, const char *text, gboolean updates, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether an insert of TEXT may update the row that is there. */
gboolean step_text_upserts (const char *text);
