#include "engine/work/suspect.h"

#include "base/fault.h"
#include "engine/lane/early.h"
#include "engine/lane/outage.h"
#include "engine/lane/sending.h"
#include "engine/work/answer.h"
#include "engine/work/bury.h"
#include "engine/outbox/dead.h"
#include "engine/work/intake.h"
#include "engine/lane/solitude.h"

#define SQL "src/engine/work/sql/"
#define DEATHS 3
#define COMPANY_US (200 * G_TIME_SPAN_MILLISECOND) /* until other messages have ended */
#define REASON "poison: the process died three times while it handled this message"

/* OFFSETS: a number, or an array literal, as the statement expects. */
static PgValues *
keys_of (const Lane *lane, const char *offsets)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_set (values, "offset", offsets);
  return values;
}

/* The offsets of those that are handled next, as an array literal. */
static char *
offsets_of (const Lane *lane)
{
  GString *offsets = array_new ();
  const guint n = lane->suspects.one_by_one ? 1 : lane->suspects.n;
  for (guint i = 0; i < n; i++)
    array_add_int (offsets, g_array_index (lane->worker.pending, Pending, i).message->offset);
  return array_take (offsets);
}

static gboolean
bury_work (Service *service, Pg *pg, Lane *lane, const Pending *first, GError **error)
{
  const Work *work = &first->work;
  if (first->wrong != NULL) {
    g_autoptr (DeadLetters) letters = dead_letters_new (service->prefix);
    dead_letters_add (letters, first->message, REASON, DEATHS);
    return dead_letters_send (service, pg, letters, error);
  }
  g_autoptr (Bundle) bundle = bundle_new (work->run_id, work->step, lane->job->name, 0);
  gboolean ok = bury_run (service, pg, lane->job, work, REASON, bundle, error);
  if (ok && bundle_size (bundle) > 0)
    sending_finish (service, lane, bundle);
  return ok;
}

/* Intake's offset moves past the message in the same transaction; else the next process would read
 * it again. */
static gboolean
bury (Service *service, Pg *pg, Lane *lane, GError **error)
{
  if (lane->job == NULL)
    return intake_bury (service, pg, lane, REASON, DEATHS, error);
  const Pending *first = &g_array_index (lane->worker.pending, Pending, 0);
  if (!bury_work (service, pg, lane, first, error))
    return FALSE;
  g_array_remove_index (lane->worker.pending, 0);
  return TRUE;
}

/* Counts them, if none was under way at more than MOST deaths. Returns at how many deaths one was;
 * -1: an error. */
static gint64
count (Pg *pg, const Lane *lane, const char *offsets, int most, GError **error)
{
  g_autoptr (PgValues) values = keys_of (lane, offsets);
  pg_values_int (values, "most", most);
  g_autoptr (PgRows) known = pg_run_file (pg, SQL "suspect_put.sql", values, error);
  return known != NULL ? rows_int (known, 0, "deaths") : -1;
}

/* They came to an orderly end, and NEXT follows. If their count cannot be removed, the lane holds.
 */
static LaneNext
forget (Service *service, Pg *pg, Lane *lane, const char *offsets, LaneNext next)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PgValues) keys = keys_of (lane, offsets);
  g_autoptr (PgRows) removed = pg_run_file (pg, SQL "suspect_remove.sql", keys, &error);
  if (lane->suspects.one_by_one)
    solitude_end (service->lanes, lane);
  if (removed == NULL)
    return outage_hold (service, lane, error);
  g_clear_pointer (&lane->suspects.counted, g_free);
  return next == LANE_DONE && lane->worker.pending->len > 0 ? LANE_AGAIN : next;
}

/* The last try of a message is made alone: with others under way it would be unknown which one the
 * process died of. */
static LaneNext
begin_last (Service *service, Pg *pg, Lane *lane, const char *offset)
{
  g_autoptr (GError) error = NULL;
  if (!solitude_begin (service->lanes, lane)) {
    lane->worker.hold_us = COMPANY_US;
    return LANE_HOLD;
  }
  if (count (pg, lane, offset, DEATHS - 1, &error) >= 0)
    return LANE_DONE;
  solitude_end (service->lanes, lane);
  return outage_hold (service, lane, error);
}

/* Counts them, once however often the lane holds: only a death may leave the count behind.
 * LANE_DONE: they may be handled. */
static LaneNext
begin (Service *service, Pg *pg, Lane *lane, const char *offsets)
{
  g_autoptr (GError) error = NULL;
  const gboolean one = lane->suspects.one_by_one;
  const gint64 deaths = count (pg, lane, offsets, one ? DEATHS - 2 : 0, &error);
  if (deaths < 0)
    return outage_hold (service, lane, error);
  if (!one && deaths > 0) {
    lane->suspects.one_by_one = TRUE;
    early_refuse (service->lanes, lane);
    return LANE_AGAIN;
  }
  if (deaths >= DEATHS)
    return bury (service, pg, lane, &error) ? forget (service, pg, lane, offsets, LANE_AGAIN)
                                            : outage_hold (service, lane, error);
  return deaths == DEATHS - 1 ? begin_last (service, pg, lane, offsets) : LANE_DONE;
}

gboolean
suspect_begin (Service *service, Pg *pg, Lane *lane, LaneNext *next)
{
  g_autofree char *offsets = offsets_of (lane);
  const char *counted = lane->suspects.counted;
  if (counted == NULL || (lane->suspects.one_by_one && !g_str_equal (counted, offsets))) {
    *next = begin (service, pg, lane, offsets);
    if (*next != LANE_DONE)
      return FALSE;
    g_free (lane->suspects.counted);
    lane->suspects.counted = g_steal_pointer (&offsets);
  }
  if (lane->suspects.one_by_one)
    FAULT ("suspect.counted");
  else
    FAULT ("suspect.counted_together");
  return TRUE;
}

LaneNext
suspect_end (Service *service, Pg *pg, Lane *lane, LaneNext next)
{
  const gboolean left = !lane->suspects.one_by_one && lane->worker.pending->len > 0
                        && !lane_should_yield (service->lanes, lane);
  /* An errand that is under way is counted until it is settled. */
  return next == LANE_GO_AWAY || left ? next
                                      : forget (service, pg, lane, lane->suspects.counted, next);
}

gboolean
suspect_forget (Pg *pg, Lane *lane)
{
  gint64 first = lane->worker.pending->len > 0 ? lane_first_offset (lane) : lane->worker.end_seen;
  if (lane->suspects.looked_back || first < 0)
    return TRUE;
  g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, first);
  g_autoptr (PgValues) keys = keys_of (lane, offset);
  g_autoptr (GError) error = NULL; /* PostgreSQL is away: the next round tries again */
  g_autoptr (PgRows) gone = pg_run_file (pg, SQL "suspect_forget.sql", keys, &error);
  lane->suspects.looked_back = gone != NULL;
  return lane->suspects.looked_back;
}
