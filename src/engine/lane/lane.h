/* The room of lanes: assigned partitions, who has them, and what is on its way for them. It uses
 * the outbox, and of steps the bisection.
 *
 * A lane is one assigned partition: its messages are handled in order, one batch at a time, by
 * whichever worker takes it.
 *
 *   IDLE ──wake──> READY ──worker takes──> RUNNING ──> IDLE      mailbox empty
 *                    ▲                        │ ├────> READY     more to do, or woken meanwhile
 *                    ├──── time is up ── HELD <─┤                a dependency is down: same
 * messages again later └──── errand done ─ AWAY <─┘                its work goes on elsewhere,
 * without a worker
 *
 * Jobs take turns, so that one with many lanes does not starve the others. The wake-up comes under
 * librdkafka's queue lock: it only takes the lock of this list, which nobody holds while calling
 * librdkafka.
 *
 * Invariant: one worker at a time has a lane; a revoked lane is never taken again.
 * Threads: as said at each function. Ownership: Lanes owns lanes; a worker owns the lane's
 * `pending` while it has it.
 */
#pragma once
#include "engine/step/bisect.h"
#include "engine/job/job.h"
#include "engine/outbox/publish.h"
#include "kafka/kafka.h"

typedef enum { LANE_IDLE, LANE_READY, LANE_RUNNING, LANE_HELD, LANE_AWAY } LaneState;

typedef struct {
  KafkaMessage *message;
  gboolean alone; /* its page has rows: not in a batch */
} LaneMessage;

/* A step between its two transactions. */
struct _Errand {
  struct _Lanes *lanes;
  struct _Lane *lane;
  const JobErrand *code;
  gpointer leased;
  gint64 began_us, started_at_us; /* of the step: monotonic, and the database's */
  gboolean done;                  /* under the list's lock */
};

/* What the lane's last transaction has to publish, on its way while the lane goes on (sending.h).
 */
typedef struct {
  struct _Lanes *lanes;
  struct _Lane *lane;
  Publisher *publisher;
  Bundle *bundle;
  gboolean done; /* under the list's lock */
} Sending;

/* Offsets [FROM, TO); equal: none. */
typedef struct {
  gint64 from, to;
} Stretch;

typedef struct {
  gint64 offset, timestamp_ms;
} Taken;

typedef struct _Lane {
  KafkaPartition *partition;
  char *topic;
  gint32 number;
  Job *job;          /* NULL: intake */
  gboolean is_ticks; /* intake of ticks, else of events */
  /* under the list's lock */
  LaneState state;
  gboolean woken, revoked, lost, forgotten;
  gboolean astray; /* intake: it is to look again where to begin */
  gint64
      mine; /* intake: next_offset as PostgreSQL has it; -1: no row, or not known. These: trail.h */
  gint64 mine_last_ms;  /* intake: timestamp of the message before it; 0: not known */
  GArray *trail;        /* intake: of Taken, by offset */
  guint trail_checked;  /* the last of them that Kafka was seen to have still */
  guint begun;          /* how often the trail was begun */
  Stretch others;       /* intake: Kafka has others there than were taken, or none */
  gint64 hold_until_us; /* monotonic */
  Pg *cancel;           /* the connection of the worker that has it */
  Errand *errand;       /* what goes on, or has ended, elsewhere; NULL: nothing */
  Sending *sending;     /* not acknowledged yet, or not noted; NULL: nothing */
  /* of the worker that has it */
  GArray *pending;        /* of LaneMessage: taken, not handled */
  gint64 locked_since_us; /* monotonic; it waits for runs that another transaction has locked; 0: it
                             does not */
  gint64 fresh_until_us;  /* monotonic; until then a batch may hold what killed the process before;
                             0: none was taken yet */
  gboolean started;       /* intake: the position was found */
  gboolean unsent;        /* given up with messages that Kafka has not: its offset moves no more */
  guint outages;          /* in a row */
  Bisect *bisect;         /* of the step that is tried alone */
  GArray *ahead;  /* of Work: the step that follows the last one here; its message is on its way.
                     NULL: none */
  guint suspects; /* of `pending`, from its front: may have killed a process before (suspect.c) */
  gboolean looked_back;   /* what was counted before this assignment's first message is forgotten */
  gboolean one_by_one;    /* some of them were there when one died */
  char *counted_together; /* their offsets, as an array literal, while they are counted in
                             PostgreSQL as one; NULL */
  gboolean full;  /* the last take came back full: the mailbox may hold more, and will not say so */
  gint64 counted; /* the suspect that is counted in PostgreSQL already; -1: none */
  gint64 end_seen; /* the last take's end, -1: not reached */
  gint64 taken;    /* messages up to here (exclusive) were taken into pending; -1: none yet */
  /* read by others: atomic */
  gint64 handled; /* everything below was handled; -1: not known yet */
  gint at_end;    /* the last take reached the partition's end, and nothing is pending */
  gint64 running_since_us;
} Lane;

typedef enum { LANE_DONE, LANE_AGAIN, LANE_HOLD, LANE_GO_AWAY } LaneNext;

typedef struct _Lanes Lanes;
Lanes *lanes_new (guint n_jobs);
void lanes_free (Lanes *lanes); /* after all workers have ended */

/* Thread: poll. */
Lane *lanes_add (Lanes *lanes, KafkaPartition *partition, const char *topic, gint32 number,
                 Job *job, gboolean is_ticks);
void lanes_kick_all (Lanes *lanes);
/* Takes these lanes away: waits until no worker has them; after PATIENCE_US cancels what runs and
 * waits as long again. */
void lanes_revoke (Lanes *lanes, GPtrArray *revoked, gboolean lost, gint64 patience_us);
/* No lane is given out any more; takers return NULL. Thread: any. */
void lanes_stop (Lanes *lanes);

/* Thread: librdkafka's. */
void lanes_wake (Lanes *lanes, Lane *lane);

/* The next lane, or NULL when stopped. INTAKE: only those of intake, else work first. Thread:
 * worker. */
Lane *lanes_take (Lanes *lanes, gboolean intake, Pg *cancel);
void lanes_put (Lanes *lanes, Lane *lane, LaneNext next, gint64 hold_us);
/* Just before the mailbox is read: wake-ups up to here are answered by it, later ones are not (the
 * mailbox wakes only when it was empty). Thread: worker. */
void lane_about_to_read (Lanes *lanes, Lane *lane);
gboolean lane_is_lost (Lanes *lanes, Lane *lane); /* revoked meanwhile: store and commit nothing */
gboolean lane_should_yield (Lanes *lanes, Lane *lane);

/* The lane's errand: begun by its worker, which then puts the lane away; ended (freed with what was
 * leased) by the worker that settles. */
Errand *lane_begin_errand (Lanes *lanes, Lane *lane, const struct _Step *step, gpointer leased);
void lane_end_errand (Lanes *lanes, Lane *lane);

/* A copy of what the dispatcher and the idle check look at. Thread: any. PARTITION is referenced.
 */
typedef struct {
  KafkaPartition *partition;
  const Job *job;
  char *topic;
  gint32 number;
  gint64 handled, mine, mine_last_ms;
  guint begun;
  gboolean at_end, busy;
} LaneView;
GArray *lanes_view (Lanes *lanes); /* of LaneView, with a clear function */
/* A worker says that it is alive though its lane takes long. Thread: worker. */
void lanes_touch (Lanes *lanes, Lane *lane);
/* Each lane of work that a worker has, or whose errand is under way, and since when (monotonic).
 * Thread: any. */
typedef void (*LaneRunning) (const Job *job, gint64 since_us, gpointer data);
void lanes_each_running (Lanes *lanes, LaneRunning visit, gpointer data);
/* The longest time a worker has had a lane, microseconds. Thread: any. */
gint64 lanes_longest_us (Lanes *lanes);
