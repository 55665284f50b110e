#include "pg/cancel.h"

#include <pthread.h>
#include <stdatomic.h>

struct _Canceller {
  PGcancel *cancel;
  _Atomic gint refs, asking;
};

Canceller *
canceller_new (PGconn *conn)
{
  Canceller *self = g_new0 (Canceller, 1);
  self->cancel = PQgetCancel (conn);
  self->refs = 1;
  return self;
}

void
canceller_unref (Canceller *self)
{
  if (self == NULL || atomic_fetch_sub (&self->refs, 1) > 1)
    return;
  PQfreeCancel (self->cancel);
  g_free (self);
}

/* Sends the request. libpq then waits until the server closes the connection: for ever if it never
 * does. */
static void *
ask_main (void *data)
{
  Canceller *self = data;
  char words[256];
  pthread_setname_np (pthread_self (), "cancel");
  if (self->cancel != NULL)
    (void)PQcancel (self->cancel, words, sizeof words);
  atomic_store (&self->asking, FALSE);
  canceller_unref (self);
  return NULL;
}

void
canceller_ask (Canceller *self)
{
  pthread_t thread;
  if (atomic_exchange (&self->asking, TRUE))
    return;
  atomic_fetch_add (&self->refs, 1);
  if (pthread_create (&thread, NULL, ask_main, self) == 0) {
    pthread_detach (thread);
    return;
  }
  atomic_store (&self->asking, FALSE); /* pipeline.c then times out and closes the connection */
  canceller_unref (self);
}
