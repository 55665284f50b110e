/* The broker's clock: the third, beside this machine's and the database's, that a tick of cron is
 * compared with. Kafka acknowledges a message with its own time if the topic has
 * `message.timestamp.type=LogAppendTime`, as `<prefix>.clock` has.
 *
 * Invariant: nothing here blocks. If the broker does not answer, or not with its time, the time is
 * unknown.
 *
 * Threads: the dispatcher's; the answer alone comes on one of Kafka's. Ownership: the dispatcher.
 */
#pragma once
#include "engine/service/envelope.h"
#include "engine/service/wake.h"
#include "kafka/producer.h"

typedef struct _BrokerClock BrokerClock;

/* Borrows all: TOPIC (NULL: the time is never known), ORIGIN, which the questions name as the owner
 * of the topics (owner.h), and WAKE, which is woken when an answer has come. */
BrokerClock *broker_clock_new (KafkaProducer *producer, const char *topic, const Origin *origin,
                               Wake *wake);
void broker_clock_free (BrokerClock *clock);

/* *NOW_US: the latest time that the broker's clock can show now, in microseconds; -1: not known. An
 * answer is cached for a minute, with ANEW for a few seconds. FALSE: the broker is being asked;
 * call again when woken, or in a second. */
gboolean broker_clock_now (BrokerClock *clock, gboolean anew, gint64 *now_us);
/* Says in the topic, once, that the database goes on with a newer timeline (pg/timeline.h), even if
 * nobody asks for the time. */
void broker_clock_tell (BrokerClock *clock);
