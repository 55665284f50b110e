/* Asks a server to cancel what a connection is doing, from any thread, without waiting: a server
 * that takes connections and does not answer keeps a thread of the canceller's only.
 *
 * Threads: any. Ownership: references; the thread that asks has one of its own.
 */
#pragma once
#include <glib.h>
#include <libpq-fe.h>

typedef struct _Canceller Canceller;
Canceller *canceller_new (PGconn *conn);
void canceller_unref (Canceller *self); /* NULL: nothing */
/* One request at a time: while one is under way no other is sent. */
void canceller_ask (Canceller *self);
