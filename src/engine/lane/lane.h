/* The room of lanes: assigned partitions, which worker holds each, and what is being sent for it.
 * It uses the rooms before it.
 *
 * A lane is one assigned partition. Its messages are handled in order, one batch at a time, by the
 * worker that takes the lane. A lane can also know of a step before its message has come (early.h).
 *
 *   IDLE ──wake──> READY ──worker takes──> RUNNING ──> IDLE   mailbox empty
 *                    ▲                        │ ├────> READY  more to do, or woken meanwhile
 *                    ├──── time is up ── HELD <─┤             a dependency is down: retry later
 *                    └──── errand done ─ AWAY <─┘             an errand works without a worker
 *
 * Jobs take turns, so that a job with many lanes does not starve the others. The wake-up runs
 * under librdkafka's queue lock. It takes only the lock of this list, and no thread calls
 * librdkafka while it holds that lock.
 *
 * Invariant: at most one worker holds a lane; a revoked lane is never given to a worker again,
 * except to settle what is still under way for it.
 * Threads: see each function. Ownership: Lanes owns lanes; a worker owns the lane's `pending`
 * while it holds the lane.
 */
#pragma once
#include "engine/step/bisect.h"
#include "engine/job/job.h"
#include "engine/ledger/run.h"
#include "kafka/kafka.h"

#include <stdatomic.h>

typedef enum { LANE_IDLE, LANE_READY, LANE_RUNNING, LANE_HELD, LANE_AWAY } LaneState;

/* What a lane has to do. A message of a lane of work is decoded once, when it is read. */
typedef struct {
  KafkaMessage *message; /* NULL: it has not come (early.h), so there is no offset */
  Work work;             /* in a lane of work, unless the message is wrong */
  char *wrong;           /* why the message cannot be decoded; NULL: it can */
  gboolean careful;      /* its step goes the careful path */
  gboolean heavy;        /* its page had rows when it was looked at */
  gboolean single;       /* its step shares no statement with others */
} Pending;

/* Errands that were begun together: their lanes come back together. */
typedef struct {
  guint left; /* under the list's lock: those that are not done */
} ErrandGroup;

/* A step between its two transactions. */
struct _Errand {
  struct _Lanes *lanes;
  struct _Lane *lane;
  const JobErrand *code;
  const Job *job; /* in the version that the run began with */
  gpointer leased;
  gint64 rows;                    /* that its lease has counted, with those beside its own */
  gint64 began_us, started_at_us; /* of the step: monotonic; by the database's clock */
  gboolean done;                  /* under the list's lock */
  ErrandGroup *group;             /* a reference; NULL: it was begun by itself */
};

/* What a transaction of the lane published: it is being sent while the lane continues
 * (sending.h).
 */
typedef struct {
  struct _Lanes *lanes;
  struct _Lane *lane;
  Publisher *publisher;
  Bundle *bundle;
  gint64 before; /* every message below this offset was handled before that transaction */
  gboolean done; /* under the list's lock */
} Sending;

/* Offsets from FROM up to, not including, TO. Equal: none. */
typedef struct {
  gint64 from, to;
} Stretch;

typedef struct {
  gint64 offset, timestamp_ms;
} Taken;

typedef struct _Lane {
  /* Fixed when the lane is added. Any thread reads them. */
  KafkaPartition *partition;
  char *topic;
  gint32 number;
  gboolean is_ticks; /* intake of ticks, else of events */

  /* NULL: intake; else the version of its job that its runs begin with (lane_follow). Under the
   * list's lock. Only the worker that holds the lane sets it, so it reads it without the lock. */
  Job *job;

  /* Under the list's lock. While a worker holds the lane, only that worker sets `errand` and
   * `sendings`, so it reads these two without the lock. */
  struct {
    LaneState state;
    gboolean woken, revoked, lost, forgotten;
    gint64 hold_until_us;    /* monotonic */
    gint64 running_since_us; /* monotonic: a worker took, kept or touched the lane */
    Pg *cancel;              /* the connection of the worker that holds the lane */
    char run_id[40];         /* of the step under way, or the first of several; "": none */
    Errand *errand;          /* works or has ended, without a worker; NULL: none */
    GQueue sendings; /* of Sending, in their order: not acknowledged yet, or not recorded yet */
    GArray *early;   /* of Work, offered to the lane: their messages follow (early.h) */
  } list;

  /* Lanes of intake. Under the list's lock. Only the worker that holds the lane sets `mine` and
   * `mine_last_ms`, so it reads these two without the lock. */
  struct {
    gboolean astray;     /* the worker must look up its start position again */
    gint64 mine;         /* next_offset as stored in PostgreSQL; -1: no row, or not known */
    gint64 mine_last_ms; /* timestamp of the message before it; 0: not known */
    /* Atomic. PostgreSQL knows that no message lies between `mine` and this offset
     * (partition_ends.h). */
    _Atomic gint64 read_to;
    /* Atomic. As read_to; this process knows it, PostgreSQL perhaps not yet. Not lower. */
    _Atomic gint64 seen_to;
    GArray *trail;       /* of Taken, by offset (trail.h) */
    guint trail_checked; /* index of the last one that Kafka was seen to still have */
    Taken same;          /* the same, also if it is older than the trail; offset -1: none */
    guint begun;         /* how often the trail was begun */
    Stretch others;      /* here Kafka has other messages than were taken, or none */
  } intake;

  /* Of the worker that holds the lane. No lock. */
  struct {
    gboolean started;  /* intake: the start position was found */
    GArray *pending;   /* of Pending: taken, not handled */
    gint64 taken;      /* all messages below this offset were taken into pending; -1: none yet */
    gint64 end_seen;   /* the partition's end at the last take; -1: not reached */
    gboolean full;     /* the last take was full: the mailbox can hold more, and sends no wake-up */
    gboolean unsent;   /* given up with messages that Kafka lacks: its offset is not stored again */
    gboolean heavy;    /* nearly all runs of the last shared transaction had rows */
    guint at_once;     /* how many runs are done as one (work/plain.h); 0: none yet */
    guint rests;       /* for how many batches none is done as one */
    guint fits;        /* messages that the next one should take; 0: all */
    gboolean unjoined; /* it is taken without other lanes once */
    guint outages;     /* in a row */
    gint64 hold_us;    /* how long it waits if it is held */
    /* Monotonic: since then it waits for runs that another transaction has locked; 0: none */
    gint64 locked_since_us;
    Bisect *bisect;           /* of the step on the careful path */
    struct _Replica *replica; /* the worker's (step/replica.h); NULL: there is none */
    GArray *done; /* of Work, in their order: steps that are done, whose messages have not come */
  } worker;

  /* Messages that may have killed a process (work/suspect.h). Of the worker that holds the lane. No
   * lock. */
  struct {
    guint n; /* how many of `pending`, from its front */
    /* Atomic; any thread reads it. Monotonic: messages taken before this are suspects; 0: none was
     * taken yet */
    _Atomic gint64 fresh_until_us;
    gboolean looked_back; /* counts from before this assignment's first message are deleted */
    gboolean one_by_one;  /* a process died with some of them: each is handled alone */
    char *counted; /* the offsets of those that PostgreSQL has counted, as an array literal; NULL:
                      of none */
  } suspects;

  /* Atomic. Written by the worker that holds the lane, read by any thread. */
  struct {
    _Atomic gint64 handled; /* everything below this offset is handled; -1: not known yet */
    atomic_bool at_end;     /* the last take that had messages reached the partition's end */
  } progress;
} Lane;

/* What a lane does next, and what becomes of the message that it has handled. */
typedef enum {
  LANE_DONE,   /* it is handled: the run's row says what happens next */
  LANE_AGAIN,  /* there is more to do; of a step: the same one at once, in a new transaction */
  LANE_HOLD,   /* it is kept, and nothing is charged */
  LANE_GO_AWAY /* an errand is under way */
} LaneNext;

typedef struct _Lanes Lanes;
Lanes *lanes_new (guint n_jobs);
void lanes_free (Lanes *lanes); /* after all workers have ended */

/* There can be lanes of N_JOBS jobs, by their numbers. */
void lanes_grow (Lanes *lanes, guint n_jobs);
/* LANE goes on with JOB, a later version of its own. Thread: the worker that holds it. */
void lane_follow (Lanes *lanes, Lane *lane, Job *job);
/* Thread: poll. */
Lane *lanes_add (Lanes *lanes, KafkaPartition *partition, const char *topic, gint32 number,
                 Job *job, gboolean is_ticks);
void lanes_kick_all (Lanes *lanes);
/* Takes these lanes away: waits until no worker holds them. After PATIENCE_US it cancels what
 * runs, and waits as long again. */
void lanes_revoke (Lanes *lanes, GPtrArray *revoked, gboolean lost, gint64 patience_us);
/* Adds the runs whose step is under way to RUNNING, g_strdup'ed. CANCEL: also cancels their
 * statements and errands, but not the settling of an errand. Thread: any. */
void lanes_halt (Lanes *lanes, gboolean cancel, GPtrArray *running);
/* From here on no lane is given out; lanes_take returns none. Thread: any. */
void lanes_stop (Lanes *lanes);

/* Thread: librdkafka's. */
void lanes_wake (Lanes *lanes, Lane *lane);

/* The next lane, and those of its job that are ready as well and go with it: their errand is not
 * begun, or is to be settled, as its own is. None: stopped. INTAKE: only a lane of intake; else
 * lanes of work first. The array is the caller's. Thread: worker. */
GPtrArray *lanes_take (Lanes *lanes, gboolean intake, Pg *cancel);
/* LANE_HOLD: for `hold_us` of LANE. */
void lanes_put (Lanes *lanes, Lane *lane, LaneNext next);
/* How many lanes a worker takes at once, if this is one of them. With the list's lock, or on the
 * worker that holds LANE. */
guint lane_most_beside (const Lane *lane);
/* A worker that holds several lanes goes on with each by itself: a cancelled statement of the
 * others does not count for this one. */
void lanes_begin_next (Lanes *lanes, Lane *lane);
/* TRUE: the worker that has LANE goes on with it at once, as no other waits for a worker. So nobody
 * is woken, and the lane stays with a connection that has planned its statements. FALSE: put it. */
gboolean lanes_keep (Lanes *lanes, Lane *lane, Pg *cancel);
/* Call it just before reading the mailbox: the read covers wake-ups up to here, not later ones
 * (the mailbox sends a wake-up only when it was empty). Thread: worker. */
void lane_about_to_read (Lanes *lanes, Lane *lane);
gboolean lane_is_lost (Lanes *lanes, Lane *lane); /* revoked, lost: store and commit nothing */
gboolean lane_should_yield (Lanes *lanes, Lane *lane);
/* Its messages may have killed a process (work/suspect.h). Thread: any. */
gboolean lane_is_fresh (const Lane *lane);
/* The job of LANE's pending work: of its errand, with the version that it began with, or its own.
 * Thread: the worker that holds it. */
const Job *lane_job (const Lane *lane);
/* The offset of the first of LANE's pending work; -1: it has none. Thread: the worker that holds
 * it. */
gint64 lane_first_offset (const Lane *lane);
/* Frees what PENDING owns. */
void pending_clear (gpointer pending);
/* The worker steps RUN_ID from now on. NULL: none. */
void lane_note_run (Lanes *lanes, Lane *lane, const char *run_id);

/* The lane's errand. The worker that begins it puts the lane away afterwards; the worker that
 * settles it ends it, which frees it and what was leased. */
Errand *lane_begin_errand (Lanes *lanes, Lane *lane, const JobErrand *code,
                           const struct _Step *step, gpointer leased);
void lane_end_errand (Lanes *lanes, Lane *lane);
/* The lanes of these errands, which have not begun to act, come back together. */
void lanes_group_errands (Lanes *lanes, Errand *const *errands, guint n);

/* A copy for housekeeping and the idle check. Holds a reference to PARTITION. Thread: any. */
typedef struct {
  KafkaPartition *partition;
  const Job *job;
  char *topic;
  gint32 number;
  gint64 handled, mine, mine_last_ms, read_to, seen_to;
  guint begun;
  gboolean at_end, busy;
} LaneView;
GArray *lanes_view (Lanes *lanes); /* of LaneView, with a clear function */
/* Restarts the clock of lanes_longest_us: the worker is alive although its lane takes long.
 * Thread: worker. */
void lanes_touch (Lanes *lanes, Lane *lane);
/* Visits each lane of work that a worker holds or whose errand is under way, with the monotonic
 * time since when. Thread: any. */
typedef void (*LaneRunning) (const Job *job, gint64 since_us, gpointer data);
void lanes_each_running (Lanes *lanes, LaneRunning visit, gpointer data);
/* The longest time that a worker holds a lane by now, in microseconds. Thread: any. */
gint64 lanes_longest_us (Lanes *lanes);
