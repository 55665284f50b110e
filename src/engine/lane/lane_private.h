/* The inside of the list of lanes, for the files of this folder only. lane_list.c has what several
 * of them do; solitude.c and lane.c stand above it, and the others above these.
 *
 * Threads: with the list's lock unless noted otherwise. Ownership: Lanes.
 */
#pragma once
#include "engine/lane/lane.h"

#include <pthread.h>

#define MOST_SENDINGS 16 /* bundles of one lane that are under way to the broker at once */

struct _Lanes {
  pthread_mutex_t lock;
  pthread_cond_t ready;   /* a lane became ready, or stopping */
  pthread_cond_t at_rest; /* a worker gave a lane back */
  GPtrArray *all;         /* of Lane */
  GPtrArray *forgotten;   /* of Lane: revoked, no longer in `all`, and still referred to */
  GQueue *queues;         /* ready lanes by job; the last is intake's */
  guint n_queues;
  guint turn;       /* the job whose turn it is */
  GHashTable *left; /* topic:number -> Trail of a lane that was given up (trail.h) */
  gboolean stopping;
  guint running, acting;    /* lanes that workers hold; errands under way */
  Lane *solitary;           /* no other lane is given out (solitude.h); NULL: all are */
  gint64 solitary_since_us; /* monotonic */
};

GQueue *lanes_queue (Lanes *lanes, const Lane *lane);
void lanes_make_ready (Lanes *lanes, Lane *lane);
/* The first lane of QUEUE, which is a job's. Where errands go together, a few of them wait until a
 * worker has begun or settled those that it has now, and go with these next; *NEXT_US: no longer
 * than until then. With the lock. */
Lane *lanes_pop (GQueue *queue, const Lanes *lanes, gint64 *next_us);
/* To the worker whose connection is CANCEL. With the lock. */
void lanes_give (Lanes *lanes, Lane *lane, Pg *cancel);
/* Adds to GIVEN, which has LANE, those that go with it, as many as go together. With the lock. */
void lanes_give_beside (Lanes *lanes, const Lane *lane, GPtrArray *given);
/* Waits on CONDITION until DEADLINE_US (monotonic; 0: for ever). */
void lanes_wait (Lanes *lanes, pthread_cond_t *condition, gint64 deadline_us);
/* Without the lock. */
void lane_free (Lane *lane);
void errand_free (Errand *errand); /* NULL: nothing */
/* ERRAND is done, and so are those that it was begun with. If its lane is to be given up, it does
 * not wait for these. With the lock. */
gboolean errand_is_back (const Lanes *lanes, const Errand *errand);
/* Messages that are not acknowledged go back to the outbox. */
void sending_free (Sending *sending);
/* The first of what is being sent is acknowledged: a worker can record it. With the lock. */
gboolean lane_has_sent (const Lane *lane);
/* A worker holds it, or something under way refers to it: it must not be freed. With the lock. */
gboolean lane_is_referred_to (const Lane *lane);
/* No worker holds LANE, which was forgotten, and nothing under way refers to it any more: the
 * caller frees it. With the lock. */
gboolean lanes_let_go (Lanes *lanes, Lane *lane);
