/* The room of what all threads share: the service itself, its alarm clock and its counters. It uses
 * the room of jobs.
 *
 * What the threads of the daemon share. Everything here is made before the threads and lives until
 * they have ended. Threads: any; each member says itself who may use it. Ownership: engine.c.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/service/wake.h"
#include "kafka/kafka.h"
#include "pg/pg.h"

typedef struct _BrokerClock BrokerClock; /* clock/broker_clock.h */
typedef struct _Lanes Lanes;             /* lane/lane.h */
typedef struct _Publisher Publisher;     /* outbox/publish.h */

typedef struct {
  const Config *config; /* as the process began: what a reload may change is read from in_force.h */
  Jobs *jobs;
  const char *prefix;
  const char **kafka_settings; /* pairs, NULL-terminated */
  PgSettings pg;
  KafkaProducer *producer;
  KafkaConsumer *consumer;
  Publisher *publisher;
  Lanes *lanes;
  Wake *wake; /* the dispatcher's */
  char *cluster_id;
  gint32 dead_partitions;            /* of the dead topic, as seen at the start */
  gint64 keep_us;                    /* [runs] keep_days */
  char *clock_topic;                 /* whose timestamps are the broker's; NULL: there is none */
  BrokerClock *broker_clock;         /* the dispatcher's */
  gint ticks_asked;                  /* atomic: whether a tick is to be fired is not known yet */
  char *trouble_seen, *trouble_told; /* of the main thread: what Kafka's consumer suffers, and what
                                        was logged of it */
  gint plans;                        /* growth.h */
  gint64 ledger_bytes;               /* as growth.c knows it; the dispatcher's */
  gint64 max_skew_us;                /* [clock] max_skew_s */
  gint64
      database_ahead_us; /* of this machine's clock, as seen at the last look; the dispatcher's */
  gboolean ticks_held;   /* by a clock; the dispatcher's */
  gint64 *tick_again_us; /* by job's number; the dispatcher's */
  volatile gint failed;  /* a thread found a reason to end the process */
} Service;

/* The process cannot go on: logs ERROR once, asks the main thread to end it. Thread: any. */
void service_fail (Service *service, const GError *error);
/* The reason of the first service_fail, once; g_error_free. Thread: main. */
GError *service_failure (void);
