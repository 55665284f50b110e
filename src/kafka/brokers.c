#include "kafka/brokers.h"

#include <stdatomic.h>

struct _Brokers {
  atomic_bool suspect; /* a connection failed, or a publish timed out: ask */
  atomic_bool down;
  pthread_mutex_t lock;
  char *last_error; /* under lock */
};

Brokers *
brokers_new (void)
{
  Brokers *brokers = g_new0 (Brokers, 1);
  pthread_mutex_init (&brokers->lock, NULL);
  return brokers;
}

void
brokers_free (Brokers *brokers)
{
  g_free (brokers->last_error);
  pthread_mutex_destroy (&brokers->lock);
  g_free (brokers);
}

void
brokers_failed (Brokers *brokers, rd_kafka_resp_err_t err, const char *reason)
{
  pthread_mutex_lock (&brokers->lock);
  g_free (brokers->last_error);
  brokers->last_error = g_strdup (reason);
  pthread_mutex_unlock (&brokers->lock);
  atomic_store (&brokers->suspect, TRUE);
  if (err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
    atomic_store (&brokers->down, TRUE);
}

void
brokers_suspect (Brokers *brokers)
{
  atomic_store (&brokers->suspect, TRUE);
}

void
brokers_answered (Brokers *brokers)
{
  atomic_store (&brokers->down, FALSE);
}

void
brokers_look (Brokers *brokers, rd_kafka_t *rk, int timeout_ms)
{
  const struct rd_kafka_metadata *metadata = NULL;
  gboolean suspect = atomic_exchange (&brokers->suspect, FALSE);
  if (!suspect && !atomic_load (&brokers->down))
    return;
  rd_kafka_resp_err_t err = rd_kafka_metadata (rk, FALSE, NULL, &metadata, timeout_ms);
  atomic_store (&brokers->down, err != RD_KAFKA_RESP_ERR_NO_ERROR);
  if (metadata != NULL)
    rd_kafka_metadata_destroy (metadata);
}

gboolean
brokers_are_up (Brokers *brokers)
{
  return !atomic_load (&brokers->down);
}

char *
brokers_why_down (Brokers *brokers)
{
  pthread_mutex_lock (&brokers->lock);
  char *why = g_strdup (atomic_load (&brokers->down) ? brokers->last_error : NULL);
  pthread_mutex_unlock (&brokers->lock);
  return why;
}
