/* What is decided about a schedule that is due, for schedule.c and its unit test.
 *
 * Threads: the dispatcher's. Ownership: `missed` is the caller's, g_array_unref it.
 */
#pragma once
#include "engine/clock/schedule.h"

typedef struct {
  gint64 fire_us;   /* -1: nothing is published */
  gint64 next_us;   /* -1: the schedule stays where it is; G_MAXINT64: it never fires again */
  GArray *missed;   /* of gint64: recorded as skipped, oldest first */
  gboolean in_turn; /* `all`: one after the other */
  gboolean waits;   /* an unfinished run holds the key */
} ScheduleDecision;

/* What to do at NOW_US about JOB, whose schedule has been due since NEXT_US (both in us since
 * 1970). RUNNING: an unfinished run of JOB holds the key. Reads the settings in force and the
 * service's `keep_us`, nothing else. */
void schedule_decide (const Service *service, const Job *job, gint64 next_us, gint64 now_us,
                      gboolean running, ScheduleDecision *decision);
