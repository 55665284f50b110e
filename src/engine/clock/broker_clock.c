#include "engine/clock/broker_clock.h"

#include "base/clock.h"
#include "engine/outbox/owner.h"
#include "pg/timeline.h"

#include <stdatomic.h>

#define GOOD_US (60 * G_USEC_PER_SEC)
#define ANEW_US (5 * G_USEC_PER_SEC)
#define PATIENCE_US (3 * G_USEC_PER_SEC) /* an answer that takes longer is too inexact */

struct _BrokerClock {
  KafkaProducer *producer;
  const char *topic;
  const Origin *origin;
  Wake *wake;
  GPtrArray *messages;
  KafkaSending *sending;      /* asked, not looked at yet; NULL: none */
  gint64 told;                /* the timeline that the last question had said; 0: none */
  gint64 asked_us;            /* monotonic, as all here; 0: never */
  _Atomic gint64 answered_us; /* 0: not yet */
  gint64 known_us;            /* when the known time was asked for; 0: none is known */
  gint64 ahead_us; /* how far the broker's clock is ahead of the monotonic one, at most */
};

BrokerClock *
broker_clock_new (KafkaProducer *producer, const char *topic, const Origin *origin, Wake *wake)
{
  BrokerClock *broker = g_new0 (BrokerClock, 1);
  *broker = (BrokerClock){ .producer = producer,
                           .topic = topic,
                           .origin = origin,
                           .told = origin->timeline, /* owner_settle */
                           .wake = wake,
                           .messages
                           = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free) };
  return broker;
}

void
broker_clock_free (BrokerClock *broker)
{
  kafka_sending_drop (broker->sending);
  g_ptr_array_unref (broker->messages);
  g_free (broker);
}

/* Thread: kafka-acks, or ours within ask. */
static void
on_answer (gpointer data)
{
  BrokerClock *broker = data;
  atomic_store (&broker->answered_us, clock_monotonic_us ());
  wake_in (broker->wake, 0);
}

static void
ask (BrokerClock *broker, gint64 now)
{
  g_ptr_array_set_size (broker->messages, 0);
  g_ptr_array_add (broker->messages, owner_message (broker->topic, broker->origin, FALSE));
  atomic_store (&broker->answered_us, 0);
  broker->told = timeline_newest (broker->origin->system, NULL);
  broker->asked_us = now;
  broker->sending = kafka_publish_begin (broker->producer, broker->messages, on_answer, broker);
}

/* The broker read its clock after it was asked. So it shows at most that time plus what has passed
 * since the question. */
static void
take_answer (BrokerClock *broker)
{
  const KafkaMessage *message = broker->messages->pdata[0];
  gint64 answered_us = atomic_load (&broker->answered_us);
  broker->known_us = 0;
  if (!kafka_publish_end (broker->producer, g_steal_pointer (&broker->sending), broker->messages, 0,
                          NULL, NULL))
    broker->told = 0;
  else if (message->appended_ms > 0 && answered_us - broker->asked_us <= PATIENCE_US) {
    broker->known_us = broker->asked_us;
    broker->ahead_us = (message->appended_ms + 1) * 1000 - broker->asked_us;
  }
}

static void
look_for_answer (BrokerClock *broker)
{
  if (broker->sending != NULL && atomic_load (&broker->answered_us) != 0)
    take_answer (broker);
}

void
broker_clock_tell (BrokerClock *broker)
{
  look_for_answer (broker);
  const gint64 now = clock_monotonic_us ();
  if (broker->topic != NULL && broker->sending == NULL
      && broker->told < timeline_newest (broker->origin->system, NULL)
      && (broker->asked_us == 0 || now - broker->asked_us >= G_USEC_PER_SEC))
    ask (broker, now);
}

gboolean
broker_clock_now (BrokerClock *broker, gboolean anew, gint64 *now_us)
{
  gint64 now = clock_monotonic_us ();
  *now_us = -1;
  if (broker->topic == NULL)
    return TRUE;
  look_for_answer (broker);
  gint64 old_us = now - broker->asked_us;
  if (broker->sending == NULL && (broker->asked_us == 0 || old_us >= (anew ? ANEW_US : GOOD_US))) {
    ask (broker, now);
    old_us = 0;
  }
  if (broker->sending != NULL)
    return old_us >= PATIENCE_US;
  if (broker->known_us != 0)
    *now_us = broker->ahead_us + now;
  return TRUE;
}
