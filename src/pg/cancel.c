#include "pg/cancel.h"

#include <pthread.h>

struct _Canceller {
  PGcancel *cancel;
  gint refs, asking; /* atomic */
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
  if (self == NULL || !g_atomic_int_dec_and_test (&self->refs))
    return;
  PQfreeCancel (self->cancel);
  g_free (self);
}

/* libpq waits here until the server has closed the connection, for ever if it never does. */
static void *
ask_main (void *data)
{
  Canceller *self = data;
  char words[256];
  pthread_setname_np (pthread_self (), "cancel");
  if (self->cancel != NULL)
    (void)PQcancel (self->cancel, words, sizeof words);
  g_atomic_int_set (&self->asking, FALSE);
  canceller_unref (self);
  return NULL;
}

void
canceller_ask (Canceller *self)
{
  pthread_t thread;
  if (!g_atomic_int_compare_and_exchange (&self->asking, FALSE, TRUE))
    return;
  g_atomic_int_inc (&self->refs);
  if (pthread_create (&thread, NULL, ask_main, self) == 0) {
    pthread_detach (thread);
    return;
  }
  g_atomic_int_set (&self->asking, FALSE); /* the connection is given up instead (pipeline.c) */
  canceller_unref (self);
}
