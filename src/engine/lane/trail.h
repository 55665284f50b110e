/* What a lane of intake has taken, message by message, as far as that is remembered: by it the
 * dispatcher sees that Kafka has others there now, also after newer ones were taken from the same
 * partition (docs/rules.md, invariants).
 *
 * Invariant: `mine`, `mine_last_ms` and the trail change together, after the commit that says so.
 * Threads: as said at each function. Ownership: the lane.
 */
#pragma once
#include "engine/lane/lane.h"

/* LANE stands at MINE (-1: nobody knows); before it is a message of LAST_MS (0: not known). Thread:
 * the worker that has it. */
void trail_begin (Lanes *lanes, Lane *lane, gint64 mine, gint64 last_ms);
/* The first N pending messages are committed, and MINE with LAST_MS as PostgreSQL has it. Thread:
 * the worker that has it. */
void trail_add (Lanes *lanes, Lane *lane, guint n, gint64 mine, gint64 last_ms);
/* What was found out since that was settled last, if it is before `mine`. Thread: the worker that
 * has it. */
Stretch trail_others (Lanes *lanes, Lane *lane);
void trail_settle (Lanes *lanes, Lane *lane);

/* A copy, to be compared without the lock. */
typedef struct {
  GArray *taken; /* of Taken, by offset */
  guint checked; /* the first that was not compared before, or the one before it */
  guint begun;   /* how often the lane has begun */
  gint64 mine;
} Trail;
void trail_clear (Trail *trail);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trail, trail_clear)
/* FALSE: no lane of intake is there. Thread: any. */
gboolean trail_copy (Lanes *lanes, const char *topic, gint32 number, Trail *trail);
/* Lets the lane look again where to begin, if it has not since it had BEGUN so often. Thread: any.
 */
gboolean trail_set_astray (Lanes *lanes, const char *topic, gint32 number, guint begun);
/* TRAIL was compared: OTHERS differ, and the lane is woken if there are some. Nothing if it has
 * begun anew since. Thread: dispatcher. */
void trail_compared (Lanes *lanes, const char *topic, gint32 number, const Trail *trail,
                     const Stretch *others);
