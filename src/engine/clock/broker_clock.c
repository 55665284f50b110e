#include "engine/clock/broker_clock.h"

#include "base/clock.h"

#include <stdatomic.h>

#define GOOD_US (60 * G_USEC_PER_SEC)
#define ANEW_US (5 * G_USEC_PER_SEC)
#define PATIENCE_US (3 * G_USEC_PER_SEC) /* an answer that takes longer says too little */

struct _BrokerClock {
  KafkaProducer *producer;
  const char *topic;
  Wake *wake;
  GPtrArray *messages;
  KafkaSending *sending;      /* asked, not looked at yet; NULL: none */
  gint64 asked_us;            /* monotonic, as all here; 0: never */
  _Atomic gint64 answered_us; /* 0: not yet */
  gint64 known_us;            /* when what is known was asked; 0: nothing is */
  gint64 ahead_us;            /* of the monotonic clock, at most */
};

BrokerClock *
broker_clock_new (KafkaProducer *producer, const char *topic, Wake *wake)
{
  BrokerClock *self = g_new0 (BrokerClock, 1);
  *self = (BrokerClock){ .producer = producer,
                         .topic = topic,
                         .wake = wake,
                         .messages
                         = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free) };
  return self;
}

void
broker_clock_free (BrokerClock *self)
{
  kafka_sending_drop (self->sending);
  g_ptr_array_unref (self->messages);
  g_free (self);
}

/* Thread: kafka-acks, or ours within ask. */
static void
on_answer (gpointer data)
{
  BrokerClock *self = data;
  atomic_store (&self->answered_us, clock_monotonic_us ());
  wake_in (self->wake, 0);
}

static void
ask (BrokerClock *self, gint64 now)
{
  KafkaMessage *message = kafka_message_new (self->topic, 0);
  kafka_message_set_value (message, "?", 1);
  g_ptr_array_set_size (self->messages, 0);
  g_ptr_array_add (self->messages, message);
  atomic_store (&self->answered_us, 0);
  self->asked_us = now;
  self->sending = kafka_publish_begin (self->producer, self->messages, on_answer, self);
}

/* The broker wrote its time down after it was asked, so that it shows no more now than that and
 * what has gone by since the question. */
static void
take_answer (BrokerClock *self)
{
  const KafkaMessage *message = self->messages->pdata[0];
  gint64 answered_us = atomic_load (&self->answered_us);
  self->known_us = 0;
  if (kafka_publish_end (self->producer, g_steal_pointer (&self->sending), self->messages, 0, NULL,
                         NULL)
      && message->appended_ms > 0 && answered_us - self->asked_us <= PATIENCE_US) {
    self->known_us = self->asked_us;
    self->ahead_us = (message->appended_ms + 1) * 1000 - self->asked_us;
  }
}

gboolean
broker_clock_now (BrokerClock *self, gboolean anew, gint64 *now_us)
{
  gint64 now = clock_monotonic_us ();
  *now_us = -1;
  if (self->topic == NULL)
    return TRUE;
  if (self->sending != NULL && atomic_load (&self->answered_us) != 0)
    take_answer (self);
  gint64 old_us = now - self->asked_us;
  if (self->sending == NULL && (self->asked_us == 0 || old_us >= (anew ? ANEW_US : GOOD_US))) {
    ask (self, now);
    old_us = 0;
  }
  if (self->sending != NULL)
    return old_us >= PATIENCE_US;
  if (self->known_us != 0)
    *now_us = self->ahead_us + now;
  return TRUE;
}
