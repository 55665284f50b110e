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

/* OFFSETS: one, or an array literal, as the statement expects. */
static PgValues *
keys_of (const Lane *lane, const char *offsets)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_set (values, "offset", offsets);
  return values;
}

static PgValues *
key_of (const Lane *lane, gint64 offset)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, offset);
  return keys_of (lane, text);
}

static LaneNext
hold (Service *service, Lane *lane, const GError *error, gint64 *hold_us)
{
  outage_note (service, lane, error);
  *hold_us = outage_hold_us (lane->worker.outages);
  return LANE_HOLD;
}

static gboolean
bury_work (Service *service, Pg *pg, Lane *lane, const Pending *first, GError **error)
{
  const Work *work = &first->work;
  if (first->wrong != NULL)
    return dead_letter_bury (service, pg, first->message, REASON, DEATHS, error);
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

typedef enum { SUSPECT_ERROR, SUSPECT_LATER, SUSPECT_TRY, SUSPECT_BURY } Decision;

/* Counts the try, once however often the lane holds: only a death may leave the count behind. The
 * last try is made alone: with other messages under way it would be unknown which one the process
 * died of. */
static Decision
count (Service *service, Pg *pg, Lane *lane, gint64 offset, GError **error)
{
  if (lane->suspects.counted == offset)
    return SUSPECT_TRY;
  g_autoptr (PgValues) key = key_of (lane, offset);
  g_autoptr (PgRows) known = pg_run_file (pg, SQL "suspect_look.sql", key, error);
  if (known == NULL)
    return SUSPECT_ERROR;
  gint64 deaths = rows_int (known, 0, "deaths");
  if (deaths >= DEATHS)
    return SUSPECT_BURY;
  if (deaths == DEATHS - 1 && !solitude_begin (service->lanes, lane))
    return SUSPECT_LATER;
  g_autoptr (PgRows) counted = pg_run_file (pg, SQL "suspect_put.sql", key, error);
  if (counted == NULL)
    return SUSPECT_ERROR;
  lane->suspects.counted = offset;
  return SUSPECT_TRY;
}

/* What the lane does next, after NEXT, if the counts are REMOVED; else it holds. */
static LaneNext
after_removal (Service *service, Lane *lane, LaneNext next, const PgRows *removed,
               const GError *error, gint64 *hold_us)
{
  if (removed == NULL)
    return hold (service, lane, error, hold_us);
  return next == LANE_DONE && lane->worker.pending->len > 0 ? LANE_AGAIN : next;
}

/* The message at OFFSET came to an orderly end. */
static LaneNext
remove_count (Service *service, Pg *pg, Lane *lane, gint64 offset, LaneNext next, gint64 *hold_us)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PgValues) key = key_of (lane, offset);
  g_autoptr (PgRows) removed = pg_run_file (pg, SQL "suspect_remove.sql", key, &error);
  if (removed != NULL)
    lane->suspects.counted = -1;
  solitude_end (service->lanes, lane);
  return after_removal (service, lane, next, removed, error, hold_us);
}

static gboolean
begin_one (Service *service, Pg *pg, Lane *lane, LaneNext *next, gint64 *hold_us)
{
  g_autoptr (GError) error = NULL;
  const gint64 offset = lane_first_offset (lane);
  Decision decision = count (service, pg, lane, offset, &error);
  if (decision == SUSPECT_TRY) {
    FAULT ("suspect.counted");
    return TRUE;
  }
  if (decision == SUSPECT_BURY && bury (service, pg, lane, &error)) {
    *next = remove_count (service, pg, lane, offset, LANE_AGAIN, hold_us);
    return FALSE;
  }
  *next = LANE_HOLD;
  if (decision == SUSPECT_LATER)
    *hold_us = COMPANY_US;
  else
    *next = hold (service, lane, error, hold_us);
  solitude_end (service->lanes, lane);
  return FALSE;
}

/* Counts the whole batch, unless a process died with one of its messages. */
static gboolean
count_together (Pg *pg, Lane *lane, GError **error)
{
  GString *offsets = array_new ();
  for (guint i = 0; i < lane->suspects.n; i++)
    array_add_int (offsets, g_array_index (lane->worker.pending, Pending, i).message->offset);
  g_autofree char *literal = array_take (offsets);
  g_autoptr (PgValues) keys = keys_of (lane, literal);
  g_autoptr (PgRows) died = pg_run_file (pg, SQL "suspect_put_all.sql", keys, error);
  if (died == NULL)
    return FALSE;
  lane->suspects.one_by_one = rows_count (died) > 0;
  if (!lane->suspects.one_by_one)
    lane->suspects.counted_together = g_steal_pointer (&literal);
  return TRUE;
}

static gboolean
begin_together (Service *service, Pg *pg, Lane *lane, LaneNext *next, gint64 *hold_us)
{
  g_autoptr (GError) error = NULL;
  if (lane->suspects.counted_together == NULL && !count_together (pg, lane, &error)) {
    *next = hold (service, lane, error, hold_us);
    return FALSE;
  }
  *next = LANE_AGAIN;
  if (lane->suspects.one_by_one) {
    early_refuse (service->lanes, lane);
    return FALSE;
  }
  FAULT ("suspect.counted_together");
  return TRUE;
}

static LaneNext
end_together (Service *service, Pg *pg, Lane *lane, LaneNext next, gint64 *hold_us)
{
  if (lane->worker.pending->len > 0 && !lane_should_yield (service->lanes, lane))
    return next;
  g_autoptr (GError) error = NULL;
  g_autoptr (PgValues) keys = keys_of (lane, lane->suspects.counted_together);
  g_autoptr (PgRows) removed = pg_run_file (pg, SQL "suspect_remove_all.sql", keys, &error);
  if (removed != NULL)
    g_clear_pointer (&lane->suspects.counted_together, g_free);
  return after_removal (service, lane, next, removed, error, hold_us);
}

gboolean
suspect_begin (Service *service, Pg *pg, Lane *lane, LaneNext *next, gint64 *hold_us)
{
  return (lane->suspects.one_by_one ? begin_one : begin_together) (service, pg, lane, next,
                                                                   hold_us);
}

LaneNext
suspect_end (Service *service, Pg *pg, Lane *lane, LaneNext next, gint64 *hold_us)
{
  if (next == LANE_GO_AWAY) /* an errand is under way: the count stands until it is settled */
    return next;
  if (!lane->suspects.one_by_one)
    return end_together (service, pg, lane, next, hold_us);
  return remove_count (service, pg, lane, lane->suspects.counted, next, hold_us);
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
