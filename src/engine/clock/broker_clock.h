/* The broker's clock: the third, beside this machine's and the database's, that a tick of cron is
 * compared with. Kafka tells its time to who writes into a topic that takes its timestamps from the
 * broker (`message.timestamp.type=LogAppendTime`): `<prefix>.clock` is one.
 *
 * Invariant: nobody waits here. A broker that does not answer, or does not say its time, makes it
 * unknown.
 *
 * Threads: the dispatcher's; only the answer comes on Kafka's.
 * Ownership: the dispatcher.
 */
#pragma once
#include "engine/service/wake.h"
#include "kafka/producer.h"

typedef struct _BrokerClock BrokerClock;

/* Borrows all: TOPIC (NULL: there is none, the time is never known), and WAKE rings when an answer
 * has come. */
BrokerClock *broker_clock_new (KafkaProducer *producer, const char *topic, Wake *wake);
void broker_clock_free (BrokerClock *clock);

/* The time that the broker shows now at the latest, in microseconds; -1: not known. What it said is
 * good for a minute, with ANEW for a few seconds. FALSE: it is being asked; come again when woken,
 * or in a second. */
gboolean broker_clock_now (BrokerClock *clock, gboolean anew, gint64 *now_us);
