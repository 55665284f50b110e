/* A commit whose answer is lost: the connection was cut, or nothing came in time. It may be in
 * effect, or still come into effect: with a synchronous standby away it waits on the server, also
 * when its client is gone. So it is asked again, for a moment (PgSettings.asks_commits).
 *
 * Threads: those of the connection. Ownership: none.
 */
#pragma once
#include "pg/pg.h"

/* Before the COMMIT: notes the number of the transaction. */
gboolean commit_note (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The connection was lost with ERROR during the COMMIT, and no transaction is open. TRUE: it has
 * ended well, and ERROR is cleared. Else ERROR says whether it is known that nothing has changed
 * (pg_is_in_doubt). */
gboolean commit_find_out (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
