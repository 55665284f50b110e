/* The messages that a lane of intake has taken, as far back as they are remembered. With them the
 * housekeeping notices that Kafka has other messages there, even after newer ones were taken from
 * the same partition (docs/rules.md, invariants).
 *
 * Invariant: `mine`, `mine_last_ms` and the trail change together, after the commit that stores
 * them.
 * Threads: see each function. Ownership: the lane.
 */
#pragma once
#include "engine/lane/lane.h"

/* LANE stands at MINE (-1: not known). The message before has the timestamp LAST_MS (0: not
 * known). The partition's end has to be seen again. `same` stays if it lies before MINE. Thread:
 * the worker that holds it. */
void trail_begin (Lanes *lanes, Lane *lane, gint64 mine, gint64 last_ms);
/* As trail_begin, of a lane that begins where PostgreSQL says; SAME: its `same`. If this process
 * has given up the same partition there, the trail goes on where that one ended: a topic that was
 * made anew is assigned anew, and what was taken from either has not been compared yet. What
 * another process has taken and not compared lies between SAME and MINE. */
void trail_resume (Lanes *lanes, Lane *lane, gint64 mine, gint64 last_ms, Taken same);
/* Keeps what LANE has taken, which is given up. With the list's lock. Thread: any. */
void trail_leave (Lanes *lanes, const Lane *lane);
GHashTable *trails_left_new (void);
/* The first N pending messages are committed; PostgreSQL now stores MINE and LAST_MS. Thread: the
 * worker that holds it. */
void trail_add (Lanes *lanes, Lane *lane, guint n, gint64 mine, gint64 last_ms);
/* Where Kafka has other messages below `mine`, as found since the last trail_settle. Thread: the
 * worker that holds it. */
Stretch trail_others (Lanes *lanes, Lane *lane);
/* What was compared last. PostgreSQL keeps it with `mine`, for whoever has the partition next.
 * Thread: any. */
Taken trail_same (Lanes *lanes, const Lane *lane);
/* It as the parameters `same_offset` and `same_ms`, which are null if there is none. */
void trail_add_same (Lanes *lanes, const Lane *lane, PgValues *values);
/* Kafka has the message before `mine`, and `same`. Thread: the worker that holds it. */
void trail_set_same (Lanes *lanes, Lane *lane);
void trail_settle (Lanes *lanes, Lane *lane);

/* A copy, to compare without the lock. */
typedef struct {
  GArray *taken; /* of Taken, by offset */
  guint checked; /* index of the first message that was not compared yet, or of the one before it */
  guint begun;   /* how often the trail was begun */
  gint64 mine;
  Taken same;
} Trail;
void trail_clear (Trail *trail);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trail, trail_clear)
/* FALSE: there is no such lane of intake. Thread: any. */
gboolean trail_copy (Lanes *lanes, const char *topic, gint32 number, Trail *trail);
/* Lets the lane look up its start position, unless its trail was begun again since BEGUN. Thread:
 * any.
 */
gboolean trail_set_astray (Lanes *lanes, const char *topic, gint32 number, guint begun);
/* PostgreSQL knows now that no message lies between `mine` and READ_TO. Thread: the worker that
 * holds LANE. */
void trail_set_read_to (Lane *lane, gint64 read_to);
/* As trail_set_read_to. Does nothing if the trail was begun again since BEGUN, or more is known.
 * Thread: any. */
void trail_note_end (Lanes *lanes, const char *topic, gint32 number, guint begun, gint64 read_to);
/* Records the result of comparing TRAIL: OTHERS differ. Wakes the lane if there are any. Does
 * nothing if the trail was begun again meanwhile. Thread: housekeeping. */
void trail_compared (Lanes *lanes, const char *topic, gint32 number, const Trail *trail,
                     const Stretch *others);
