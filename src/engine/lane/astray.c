#include "engine/lane/astray.h"

#include "base/clock.h"
#include "engine/lane/lane_private.h"
#include "engine/lane/trail.h"

#define KAFKA_EVERY_US G_TIME_SPAN_MINUTE
#define BROKE_US (2 * G_USEC_PER_SEC)
#define SILENT_US (5 * G_USEC_PER_SEC)
#define WATERMARKS_MS 500
#define READ_MS 3000

/* The lanes' positions are copied before PostgreSQL is asked: they follow its commits, so it can
 * only be ahead of the copy. */
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

void
lane_set_astray (Lanes *lanes, Lane *lane)
{
  lane->astray = lane->woken = TRUE;
  if (lane->state == LANE_IDLE)
    lanes_make_ready (lanes, lane);
}

/* Not those that have begun anew since they were seen: they stand where PostgreSQL does. */
static void
set_astray (Lanes *lanes, GArray *views, const char *topic, gint32 number)
{
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    if (view->job == NULL && view->number == number && g_str_equal (view->topic, topic)
        && trail_set_astray (lanes, topic, number, view->begun)) {
      g_autofree char *partition = g_strdup_printf ("%d", number);
      log_warning (
          "PostgreSQL knows less than before; messages are read again from where it stands",
          "topic", topic, "partition", partition);
    }
  }
}

/* --- Kafka
 * -------------------------------------------------------------------------------------------- */

typedef struct {
  const Trail *trail;
  guint next;     /* of what was taken */
  gint64 same_to; /* up to here Kafka has the same; -1: of none */
  Stretch others; /* from -1: none was seen */
} Comparison;

/* One that is missing is no sign: the topic may be compacted, or its beginning be dropped. */
static gboolean
compare_message (const KafkaMessage *message, gpointer data)
{
  Comparison *self = data;
  const GArray *taken = self->trail->taken;
  while (self->next < taken->len
         && g_array_index (taken, Taken, self->next).offset < message->offset)
    self->next++;
  if (self->next >= taken->len)
    return FALSE;
  const Taken *ours = &g_array_index (taken, Taken, self->next);
  if (ours->offset != message->offset || ours->timestamp_ms != message->timestamp_ms) {
    if (self->others.from < 0)
      self->others.from = MAX (self->same_to, 0);
    self->others.to = message->offset + 1;
  } else if (self->others.from < 0)
    self->same_to = message->offset + 1;
  return TRUE;
}

/* With what was taken from the message at FIRST on. */
static gboolean
compare_from (Service *service, const LaneView *view, const Trail *trail, guint first, gint64 high,
              Stretch *others, GError **error)
{
  Comparison comparison = { .trail = trail, .next = first, .same_to = -1, .others = { -1, -1 } };
  if (first < trail->taken->len) {
    KafkaStretch stretch
        = { view->number, g_array_index (trail->taken, Taken, first).offset, trail->mine };
    if (!kafka_read_stretch (service->kafka_settings, view->topic, &stretch, READ_MS,
                             compare_message, &comparison, error))
      return FALSE;
  }
  *others = comparison.others;
  if (high < trail->mine)
    *others
        = (Stretch){ others->from >= 0 ? others->from : MAX (comparison.same_to, 0), trail->mine };
  return TRUE;
}

/* What was compared a while ago is not again, unless something is found: then it is to be known
 * from where on. FALSE: no answer. */
static gboolean
compare (Service *service, const LaneView *view)
{
  g_auto (Trail) trail = { NULL, 0, 0, 0 };
  g_autoptr (GError) error = NULL;
  Stretch others;
  gint64 low, high;
  if (!trail_copy (service->lanes, view->topic, view->number, &trail) || trail.mine <= 0)
    return TRUE;
  if (!kafka_partition_watermarks (view->partition, WATERMARKS_MS, &low, &high, &error)
      || !compare_from (service, view, &trail, trail.checked, high, &others, &error)
      || (others.from < others.to && trail.checked > 0
          && !compare_from (service, view, &trail, 0, high, &others, &error)))
    return FALSE;
  trail_compared (service->lanes, view->topic, view->number, &trail, &others);
  return TRUE;
}

/* The partitions whose turn it is, one a look. Of the one dispatcher thread. */
typedef struct {
  guint next, left, breaks;
  gboolean silent; /* somebody did not answer in this round */
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

/* A broker that lagged behind may lead a partition now (an unclean election): it ends before what
 * we have taken, or has another message where one of ours was, perhaps below others that were taken
 * since. Each is looked at once a minute, and soon after a connection broke or if there was no
 * answer: it takes the dispatcher's time, so it does not ask at once again. */
static void
look_at_kafka (Service *service, GArray *views)
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
  if (rows != NULL)
    look_at_kafka (service, views);
  return rows != NULL;
}

gboolean
astray_take (Lanes *lanes, Lane *lane)
{
  pthread_mutex_lock (&lanes->lock);
  gboolean astray = lane->astray;
  lane->astray = FALSE;
  pthread_mutex_unlock (&lanes->lock);
  return astray;
}
