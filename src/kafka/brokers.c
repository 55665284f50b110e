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
  Brokers *self = g_new0 (Brokers, 1);
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
brokers_free (Brokers *self)
{
  g_free (self->last_error);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

void
brokers_failed (Brokers *self, rd_kafka_resp_err_t err, const char *reason)
{
  pthread_mutex_lock (&self->lock);
  g_free (self->last_error);
  self->last_error = g_strdup (reason);
  pthread_mutex_unlock (&self->lock);
  atomic_store (&self->suspect, TRUE);
  if (err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
    atomic_store (&self->down, TRUE);
}

void
brokers_suspect (Brokers *self)
{
  atomic_store (&self->suspect, TRUE);
}

void
brokers_answered (Brokers *self)
{
  atomic_store (&self->down, FALSE);
}

void
brokers_look (Brokers *self, rd_kafka_t *rk, int timeout_ms)
{
  const struct rd_kafka_metadata *metadata = NULL;
  gboolean suspect = atomic_exchange (&self->suspect, FALSE);
  if (!suspect && !atomic_load (&self->down))
    return;
  rd_kafka_resp_err_t err = rd_kafka_metadata (rk, FALSE, NULL, &metadata, timeout_ms);
  atomic_store (&self->down, err != RD_KAFKA_RESP_ERR_NO_ERROR);
  if (metadata != NULL)
    rd_kafka_metadata_destroy (metadata);
}

gboolean
brokers_are_up (Brokers *self)
{
  return !atomic_load (&self->down);
}

char *
brokers_why_down (Brokers *self)
{
  pthread_mutex_lock (&self->lock);
  char *why = g_strdup (atomic_load (&self->down) ? self->last_error : NULL);
  pthread_mutex_unlock (&self->lock);
  return why;
}
