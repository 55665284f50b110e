#include "engine/work/suspect.h"

#include "base/fault.h"
#include "engine/lane/outage.h"
#include "engine/work/answer.h"
#include "engine/work/bury.h"
#include "engine/outbox/dead.h"
#include "engine/work/intake.h"
#include "engine/lane/solitude.h"

#define SQL "src/engine/work/sql/"
#define DEATHS 3
#define COMPANY_US (200 * G_TIME_SPAN_MILLISECOND) /* others are still under way: later */
#define REASON "poison: the process died three times while it handled this message"

static PgValues *
name_of (const KafkaMessage *message)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "topic", message->topic);
  pg_values_int (values, "partition", message->partition);
  pg_values_int (values, "offset", message->offset);
  return values;
}

static LaneNext
hold (Service *service, Lane *lane, const GError *error, gint64 *hold_us)
{
  outage_note (service, lane, error);
  *hold_us = outage_hold_us (lane->outages);
  return LANE_HOLD;
}

static gboolean
bury_message (Service *service, const KafkaMessage *message, GError **error)
{
  g_autoptr (GPtrArray) dead = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  g_ptr_array_add (dead, dead_letter (service->prefix, message, REASON, DEATHS));
  if (!dead_letters_send (service, dead, error))
    return FALSE;
  dead_letter_log (message, REASON);
  return TRUE;
}

static gboolean
bury_work (Service *service, Pg *pg, Lane *lane, const KafkaMessage *message, GError **error)
{
  Work work = { 0 };
  if (!work_decode (message, lane->job, &work, NULL))
    return bury_message (service, message, error);
  g_autoptr (Bundle) bundle = bundle_new (work.run_id, work.step, lane->job->name, 0);
  gboolean ok = bury_run (service, pg, lane->job, &work, REASON, bundle, error);
  if (ok && bundle_size (bundle) > 0)
    outage_publish (service, lane, bundle);
  g_free (work.run_id);
  return ok;
}

/* Intake's position moves past it in the same transaction: else the next process would meet it
 * again. */
static gboolean
bury (Service *service, Pg *pg, Lane *lane, const KafkaMessage *message, GError **error)
{
  if (lane->job == NULL)
    return intake_bury (service, pg, lane, REASON, DEATHS, error);
  if (!bury_work (service, pg, lane, message, error))
    return FALSE;
  g_array_remove_index (lane->pending, 0);
  return TRUE;
}

typedef enum { SUSPECT_ERROR, SUSPECT_LATER, SUSPECT_TRY, SUSPECT_BURY } Suspicion;

/* Counts the try, once however often it is held: only a death may leave the count behind. The last
 * one is alone: with others under way nobody knows which of them the process died of. */
static Suspicion
count (Service *service, Pg *pg, Lane *lane, const KafkaMessage *message, const PgValues *name,
       GError **error)
{
  if (lane->counted == message->offset)
    return SUSPECT_TRY;
  g_autoptr (PgRows) known = pg_run_file (pg, SQL "suspect_look.sql", name, error);
  if (known == NULL)
    return SUSPECT_ERROR;
  gint64 deaths = rows_int (known, 0, "deaths");
  if (deaths >= DEATHS)
    return SUSPECT_BURY;
  if (deaths == DEATHS - 1 && !solitude_begin (service->lanes, lane))
    return SUSPECT_LATER;
  g_autoptr (PgRows) counted = pg_run_file (pg, SQL "suspect_put.sql", name, error);
  if (counted == NULL)
    return SUSPECT_ERROR;
  lane->counted = message->offset;
  return SUSPECT_TRY;
}

static LaneNext
after_removal (Service *service, Lane *lane, LaneNext next, const PgRows *removed,
               const GError *error, gint64 *hold_us)
{
  if (removed == NULL)
    return hold (service, lane, error, hold_us);
  return next == LANE_DONE && lane->pending->len > 0 ? LANE_AGAIN : next;
}

/* Tries the first pending message, or buries it. */
static LaneNext
handle_one (Service *service, Pg *pg, Lane *lane, SuspectHandle handle, gint64 *hold_us)
{
  g_autoptr (GError) error = NULL;
  const KafkaMessage *message = g_array_index (lane->pending, LaneMessage, 0).message;
  g_autoptr (PgValues) name = name_of (message);
  Suspicion suspicion = count (service, pg, lane, message, name, &error);
  LaneNext next = LANE_AGAIN;
  if (suspicion == SUSPECT_LATER) {
    *hold_us = COMPANY_US;
    return LANE_HOLD;
  }
  if (suspicion == SUSPECT_TRY) {
    FAULT ("suspect.counted");
    next = handle (service, pg, lane, hold_us);
    if (next == LANE_GO_AWAY) /* it is under way: the count stands until it is settled */
      return next;
  } else if (suspicion == SUSPECT_ERROR || !bury (service, pg, lane, message, &error))
    return hold (service, lane, error, hold_us);
  g_autoptr (PgRows) removed = pg_run_file (pg, SQL "suspect_remove.sql", name, &error);
  if (removed != NULL)
    lane->counted = -1;
  return after_removal (service, lane, next, removed, error, hold_us);
}

LaneNext
suspect_handle (Service *service, Pg *pg, Lane *lane, SuspectHandle handle, gint64 *hold_us)
{
  LaneNext next = handle_one (service, pg, lane, handle, hold_us);
  if (next != LANE_GO_AWAY)
    solitude_end (service->lanes, lane);
  return next;
}

static PgValues *
names_of (const Lane *lane, const char *offsets)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "topic", lane->topic);
  pg_values_int (values, "partition", lane->number);
  pg_values_set (values, "offset", offsets);
  return values;
}

/* Counts the whole batch, unless a process died with one of it. */
static gboolean
count_together (Pg *pg, Lane *lane, GError **error)
{
  GString *offsets = array_new ();
  for (guint i = 0; i < lane->suspects; i++)
    array_add_int (offsets, g_array_index (lane->pending, LaneMessage, i).message->offset);
  g_autofree char *literal = array_take (offsets);
  g_autoptr (PgValues) names = names_of (lane, literal);
  g_autoptr (PgRows) died = pg_run_file (pg, SQL "suspect_put_all.sql", names, error);
  if (died == NULL)
    return FALSE;
  lane->one_by_one = rows_count (died) > 0;
  if (!lane->one_by_one)
    lane->counted_together = g_steal_pointer (&literal);
  return TRUE;
}

LaneNext
suspect_handle_together (Service *service, Pg *pg, Lane *lane, SuspectHandle handle,
                         gint64 *hold_us)
{
  g_autoptr (GError) error = NULL;
  if (lane->counted_together == NULL && !count_together (pg, lane, &error))
    return hold (service, lane, error, hold_us);
  if (lane->one_by_one)
    return LANE_AGAIN;
  FAULT ("suspect.counted_together");
  LaneNext next = handle (service, pg, lane, hold_us);
  if (lane->pending->len > 0 && !lane_should_yield (service->lanes, lane))
    return next;
  g_autoptr (PgValues) names = names_of (lane, lane->counted_together);
  g_autoptr (PgRows) removed = pg_run_file (pg, SQL "suspect_remove_all.sql", names, &error);
  if (removed != NULL)
    g_clear_pointer (&lane->counted_together, g_free);
  return after_removal (service, lane, next, removed, error, hold_us);
}

void
suspect_forget (Pg *pg, Lane *lane)
{
  gint64 first = lane->pending->len > 0
                     ? g_array_index (lane->pending, LaneMessage, 0).message->offset
                     : lane->end_seen;
  if (lane->looked_back || first < 0)
    return;
  g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, first);
  g_autoptr (PgValues) names = names_of (lane, offset);
  g_autoptr (GError) error = NULL; /* PostgreSQL is away: the next round looks back */
  g_autoptr (PgRows) gone = pg_run_file (pg, SQL "suspect_forget.sql", names, &error);
  lane->looked_back = gone != NULL;
}
