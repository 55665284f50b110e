/* Asks a server to cancel the running statement of a connection, from any thread, without waiting.
 * A server that accepts connections but does not answer blocks only the canceller's own thread.
 *
 * Threads: any. Ownership: reference-counted; the thread that sends the request holds its own
 * reference.
 */
#pragma once
#include <glib.h>
#include <libpq-fe.h>

typedef struct _Canceller Canceller;
Canceller *canceller_new (PGconn *conn);
void canceller_unref (Canceller *canceller); /* NULL: does nothing */
/* Sends a request, unless one is under way already. */
void canceller_ask (Canceller *canceller);
