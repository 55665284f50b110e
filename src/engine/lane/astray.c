#include "engine/lane/astray.h"

#include "base/clock.h"
#include "engine/lane/partition_ends.h"
#include "engine/lane/lane_private.h"
#include "engine/lane/trail.h"

#define KAFKA_EVERY_US G_TIME_SPAN_MINUTE
#define BROKE_US (2 * G_USEC_PER_SEC)
#define SILENT_US (5 * G_USEC_PER_SEC)
#define WATERMARKS_MS 500
#define READ_MS 3000

/* The lanes' positions are copied before PostgreSQL is asked. A lane's position follows its
 * commit, so a healthy PostgreSQL can only be ahead of the copy. */
static PgValues *
positions (Service *service, GArray *views)
{
  GString *topics = array_new (), *partitions = array_new (), *mine = array_new (),
          *last = array_new ();
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (view->job != NULL || view->mine < 0)
      continue;
    array_add (topics, view->topic);
    array_add_int (partitions, view->number);
    array_add_int (mine, view->mine);
    array_add_int (last, view->mine_last_ms);
  }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "cluster_id", service->cluster_id);
  pg_values_take (values, "topic", array_take (topics));
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "mine", array_take (mine));
  pg_values_take (values, "last_ms", array_take (last));
  return values;
}

/* Skips lanes whose trail was begun again since they were copied: those stand where PostgreSQL
 * stands. */
static void
set_astray (Lanes *lanes, GArray *views, const char *topic, gint32 number)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (view->job == NULL && view->number == number && g_str_equal (view->topic, topic)
        && trail_set_astray (lanes, topic, number, view->begun)) {
      g_autofree char *partition = g_strdup_printf ("%d", number);
      log_warning ("PostgreSQL was set back; re-reading from its saved offsets", "topic", topic,
                   "partition", partition);
    }
  }
}

/* --- Kafka --- */

typedef struct {
  const GArray *taken;
  guint next;     /* its index */
  gint64 same_to; /* below this offset Kafka has the same messages; -1: none was compared */
  Stretch others; /* from -1: none found */
} Comparison;

/* A missing message proves nothing: the topic can be compacted, or its beginning deleted. */
static gboolean
compare_message (const KafkaMessage *message, gpointer data)
{
  Comparison *compared = data;
  const GArray *taken = compared->taken;
  while (compared->next < taken->len
         && g_array_index (taken, Taken, compared->next).offset < message->offset)
    compared->next++;
  if (compared->next >= taken->len)
    return FALSE;
  const Taken *ours = &g_array_index (taken, Taken, compared->next);
  if (ours->offset != message->offset || ours->timestamp_ms != message->timestamp_ms) {
    if (compared->others.from < 0)
      compared->others.from = MAX (compared->same_to, 0);
    compared->others.to = message->offset + 1;
  } else if (compared->others.from < 0)
    compared->same_to = message->offset + 1;
  return TRUE;
}

/* Nothing was taken of a batch that cannot be unpacked: what was taken at its offsets was other. */
static void
compare_unread (const KafkaStretch *batch, gpointer data)
{
  Comparison *compared = data;
  const GArray *taken = compared->taken;
  if (compared->next >= taken->len
      || g_array_index (taken, Taken, compared->next).offset >= batch->to)
    return;
  if (compared->others.from < 0)
    compared->others.from = batch->from;
  compared->others.to = batch->to;
}

/* Compares the messages up to TO with what was taken, from COMPARED's next one on. */
static gboolean
compare_up_to (Service *service, const LaneView *view, Comparison *compared, gint64 to,
               GError **error)
{
  if (compared->next >= compared->taken->len)
    return TRUE;
  const KafkaStretch stretch
      = { view->number, g_array_index (compared->taken, Taken, compared->next).offset, to };
  const KafkaVisitor visitor = { compare_message, compare_unread, compared };
  return kafka_read_stretch (service->kafka_settings, view->topic, &stretch, READ_MS, &visitor,
                             error);
}

/* Compares the message that was compared last, if it is older than the trail. If it differs,
 * nothing is known of those before it: OTHERS begin with the log. */
static gboolean
compare_same (Service *service, const LaneView *view, const Trail *trail, Stretch *others,
              GError **error)
{
  *others = (Stretch){ 0, 0 };
  const Taken same = trail->same;
  if (same.offset < 0
      || (trail->taken->len > 0 && same.offset >= g_array_index (trail->taken, Taken, 0).offset))
    return TRUE;
  g_autoptr (GArray) alone = g_array_new (FALSE, FALSE, sizeof (Taken));
  g_array_append_val (alone, same);
  Comparison comparison = { .taken = alone, .same_to = -1, .others = { -1, -1 } };
  if (!compare_up_to (service, view, &comparison, same.offset + 1, error))
    return FALSE;
  if (comparison.others.from >= 0)
    *others = (Stretch){ 0, same.offset + 1 };
  return TRUE;
}

/* Compares Kafka with what was taken, from index FIRST on. */
static gboolean
compare_from (Service *service, const LaneView *view, const Trail *trail, guint first, gint64 high,
              Stretch *others, GError **error)
{
  Comparison comparison
      = { .taken = trail->taken, .next = first, .same_to = -1, .others = { -1, -1 } };
  if (!compare_up_to (service, view, &comparison, trail->mine, error))
    return FALSE;
  *others = comparison.others;
  if (high < trail->mine)
    *others
        = (Stretch){ others->from >= 0 ? others->from : MAX (comparison.same_to, 0), trail->mine };
  return TRUE;
}

/* Compares only messages that were not compared yet. If one differs, compares the whole trail to
 * find the first that differs. FALSE: Kafka did not answer. */
static gboolean
compare (Service *service, const LaneView *view)
{
  g_auto (Trail) trail = { NULL, 0, 0, 0, { -1, 0 } };
  g_autoptr (GError) error = NULL;
  Stretch others, before;
  gint64 low, high;
  if (!trail_copy (service->lanes, view->topic, view->number, &trail) || trail.mine <= 0)
    return TRUE;
  if (!kafka_partition_watermarks (view->partition, WATERMARKS_MS, &low, &high, &error)
      || !compare_same (service, view, &trail, &before, &error)
      || !compare_from (service, view, &trail, trail.checked, high, &others, &error)
      || (others.from < others.to && trail.checked > 0
          && !compare_from (service, view, &trail, 0, high, &others, &error)))
    return FALSE;
  if (before.to > 0)
    others = (Stretch){ before.from, MAX (before.to, others.to) };
  trail_compared (service->lanes, view->topic, view->number, &trail, &others);
  return TRUE;
}

/* One partition is compared per look. Of the housekeeping thread only. */
typedef struct {
  guint next, left, breaks;
  gboolean silent; /* a broker did not answer in this round */
  gint64 next_us;
} Round;

static const LaneView *
next_of (Round *round, GArray *views)
{
  while (round->left > 0) {
    const LaneView *view = &g_array_index (views, LaneView, round->next++ % views->len);
    round->left--;
    if (view->job == NULL && view->mine > 0)
      return view;
  }
  return NULL;
}

/* After an unclean election a broker that lagged behind can lead a partition. Then the partition
 * ends before what was taken, or has another message at an offset that was taken, perhaps below
 * others that were taken since. Each partition is compared once a minute, and soon after a broken
 * connection or a missing answer. It does not ask again at once, because it takes housekeeping's
 * time. */
static void
compare_with_kafka (Service *service, GArray *views)
{
  static Round round;
  gint64 now_us = clock_monotonic_us ();
  guint breaks = kafka_consumer_breaks (service->consumer);
  if (breaks != round.breaks) {
    round.left = views->len;
    round.next_us = MIN (round.next_us, now_us + BROKE_US);
  }
  round.breaks = breaks;
  if (now_us < round.next_us || views->len == 0)
    return;
  if (round.left == 0)
    round.left = views->len;
  round.left = MIN (round.left, views->len);
  const LaneView *view = next_of (&round, views);
  gboolean answered = view == NULL || compare (service, view);
  round.silent = round.silent || !answered;
  round.next_us = answered && round.left > 0
                      ? 0
                      : clock_monotonic_us () + (round.silent ? SILENT_US : KAFKA_EVERY_US);
  if (round.left == 0)
    round.silent = FALSE;
}

gboolean
astray_look (Service *service, Pg *pg, GError **error)
{
  g_autoptr (GArray) views = lanes_view (service->lanes);
  g_autoptr (PgValues) values = positions (service, views);
  g_autoptr (PgRows) rows
      = pg_run_file (pg, "src/engine/lane/sql/intake_astray.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    set_astray (service->lanes, views, rows_text (rows, i, "topic"),
                (gint32)rows_int (rows, i, "partition"));
  if (rows == NULL || !partition_ends_look (service, pg, views, error))
    return FALSE;
  compare_with_kafka (service, views);
  return TRUE;
}

gboolean
astray_take (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean astray = lane->intake.astray;
  lane->intake.astray = FALSE;
  pthread_mutex_unlock (&lanes->lock);
  return astray;
}
