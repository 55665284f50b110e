/* The room of what all threads share: the service itself, its alarm clock and its counters. It
 * uses the room of jobs.
 *
 * What the threads of the daemon share. Everything here is made before the threads start and lives
 * until they have ended.
 *
 * Threads: any; each group says which. Ownership: engine.c.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/service/envelope.h"
#include "engine/service/wake.h"
#include "kafka/kafka.h"
#include "pg/pg.h"

#include <stdatomic.h>

typedef struct _BrokerClock BrokerClock;   /* clock/broker_clock.h */
typedef struct _Dispatcher Dispatcher;     /* clock/dispatcher.h */
typedef struct _Housekeeping Housekeeping; /* clock/housekeeping.h */
typedef struct _Lanes Lanes;               /* lane/lane.h */
typedef struct _Publisher Publisher;       /* outbox/publish.h */

typedef struct {
  /* Set before the threads start. Any thread reads them; what they point to has its own rules. */
  const Config
      *config; /* from the start of the process; for what a reload can change: in_force.h */
  const char *prefix;
  const char **kafka_settings; /* pairs, NULL-terminated */
  PgSettings pg;
  KafkaProducer *producer;
  KafkaConsumer *consumer;
  Publisher *publisher;
  Lanes *lanes;
  Wake *wake; /* the dispatcher's */
  char *cluster_id;
  gint32 dead_partitions; /* of the dead topic, as seen at the start */
  gint64 keep_us;         /* [runs] keep_days */
  gint64 max_skew_us;     /* [clock] max_skew_s */
  char *clock_topic;      /* the topic with the broker's timestamps; NULL: there is none */
  Origin origin;          /* the database */
  gboolean group_counts;  /* whether others can be in the consumer group */

  /* Of the dispatcher's thread. No lock. */
  struct {
    Dispatcher *self;
    BrokerClock *broker_clock;
    gboolean ticks_held;   /* because a clock is wrong */
    gint64 *tick_again_us; /* by the job's number */
    guint n_tick_again;
  } dispatcher;

  /* Of the thread of housekeeping. No lock. */
  struct {
    Housekeeping *self;
    gint64 ledger_bytes;       /* as housekeeping last measured it */
    gboolean more;             /* the part that is done (chores.h) has more to do */
    gint64 strangers_since_us; /* monotonic: as group.c has found them; 0: there are none */
    gboolean compared;         /* the last comparison of the database's clock went well */
  } housekeeping;

  /* Of the main thread. No lock. */
  struct {
    Pg *pg;                 /* for the checks of the start, and to see whether all work is done */
    char *trouble_seen;     /* what is wrong with Kafka's consumer */
    char *trouble_told;     /* what was logged of it */
    gint64 told_us;         /* when; monotonic */
    GPtrArray *own_topics;  /* of char: those of applications' events that are subscribed to */
    GPtrArray *work_topics; /* of char, sorted: the same for work */
  } main;

  /* Atomic: any thread. */
  struct {
    atomic_int ticks_asked;     /* not known yet whether a tick must be fired */
    atomic_int plans;           /* housekeeping.c */
    atomic_int reloaded;        /* since the main thread last looked */
    atomic_int reload_asked;    /* by `pruned reload`, the same */
    atomic_int left_out;        /* jobs may come back (clock/left_out.h), the same */
    atomic_int group_asked;     /* partitions have come, and nobody has looked (clock/group.h) */
    atomic_int group_is_others; /* the reason of `failed` is that */
    atomic_int stopped;         /* by `pruned stop` (clock/stop.h) */
    atomic_int failed;          /* a thread found a reason to end the process */
    _Atomic gint64 database_ahead_us; /* of this machine's clock, at the last comparison */
    _Atomic gint64 unsent_since_us;   /* monotonic: messages of runs that became due then are on
                                         their way; 0: none */
  } shared;
} Service;

/* The process cannot continue: asks the main thread to end it. The first ERROR is kept as the
 * reason. Thread: any. */
void service_fail (Service *service, const GError *error);
/* Returns the reason of the first service_fail, once; g_error_free it. Thread: main. */
GError *service_failure (void);
