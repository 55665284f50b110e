#include "pg/cancel.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>

struct _Canceller {
  PGcancel *cancel;
  atomic_int refs, asking;
};

Canceller *
canceller_new (PGconn *conn)
{
  Canceller *canceller = g_new0 (Canceller, 1);
  canceller->cancel = PQgetCancel (conn);
  canceller->refs = 1;
  return canceller;
}

void
canceller_unref (Canceller *canceller)
{
  if (canceller == NULL || atomic_fetch_sub (&canceller->refs, 1) > 1)
    return;
  PQfreeCancel (canceller->cancel);
  g_free (canceller);
}

/* Sends the request. libpq then waits until the server closes the connection: for ever if it never
 * does. */
static void *
ask_main (void *data)
{
  Canceller *canceller = data;
  char words[256];
  pthread_setname_np (pthread_self (), "cancel");
  if (canceller->cancel != NULL)
    (void)PQcancel (canceller->cancel, words, sizeof words);
  atomic_store (&canceller->asking, FALSE);
  canceller_unref (canceller);
  return NULL;
}

void
canceller_ask (Canceller *canceller)
{
  pthread_t thread;
  if (atomic_exchange (&canceller->asking, TRUE))
    return;
  atomic_fetch_add (&canceller->refs, 1);
  if (thread_start (&thread, ask_main, canceller, NULL)) {
    pthread_detach (thread);
    return;
  }
  atomic_store (&canceller->asking,
                FALSE); /* pipeline.c then times out and closes the connection */
  canceller_unref (canceller);
}
