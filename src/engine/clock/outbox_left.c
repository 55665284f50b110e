#include "engine/clock/outbox_left.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/lane/lane.h"
#include "engine/outbox/publish.h"

#define SQL "src/engine/clock/sql/"
/* librdkafka waits a second for a topic that it does not know. */
#define LEFT_US (5 * G_USEC_PER_SEC)
#define LEFT_PAGE 100 /* as in outbox_left.sql */
#define FIRST_RUN "00000000-0000-0000-0000-000000000000"

struct _OutboxLeft {
  Service *service;
  char *at, *run; /* the last row of a full page; NULL: from the start */
  gint64 step;
};

OutboxLeft *
outbox_left_new (Service *service)
{
  OutboxLeft *left = g_new0 (OutboxLeft, 1);
  left->service = service;
  return left;
}

void
outbox_left_free (OutboxLeft *left)
{
  g_free (left->at);
  g_free (left->run);
  g_free (left);
}

/* This process's lanes of work, and the keyset cursor of the page. */
static PgValues *
page_values (const OutboxLeft *left)
{
  g_autoptr (GArray) views = lanes_view (left->service->lanes);
  GString *jobs = array_new (), *numbers = array_new (), *partitions = array_new ();
  gboolean first = FALSE;
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    first = first || (view->number == 0 && g_str_has_suffix (view->topic, ".ticks"));
    if (view->job == NULL)
      continue;
    array_add (jobs, view->job->name);
    array_add_int (numbers, view->number);
    array_add_int (partitions, job_partitions (view->job));
  }
  PgValues *values = pg_values_new ();
  pg_values_take (values, "job", array_take (jobs));
  pg_values_take (values, "number", array_take (numbers));
  pg_values_take (values, "partitions", array_take (partitions));
  pg_values_set (values, "first", first ? "true" : "false");
  pg_values_set (values, "after_at", left->at != NULL ? left->at : "-infinity");
  pg_values_set (values, "after_run", left->at != NULL ? left->run : FIRST_RUN);
  pg_values_int (values, "after_step", left->at != NULL ? left->step : -1);
  return values;
}

/* Moves the keyset cursor behind this page; after the last page, back to the beginning. */
static void
note_page (OutboxLeft *left, const PgRows *rows)
{
  int last = rows_count (rows) - 1;
  g_clear_pointer (&left->at, g_free);
  g_clear_pointer (&left->run, g_free);
  if (last < LEFT_PAGE - 1)
    return;
  left->at = g_strdup (rows_text (rows, last, "at"));
  left->run = g_strdup (rows_text (rows, last, "run_id"));
  left->step = rows_int (rows, last, "step");
}

/* Sends what a crash left in the outbox, for this process's lanes. What a missing topic refuses
 * does not hold up the rest. */
gboolean
outbox_left_look (OutboxLeft *left, Pg *pg, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + LEFT_US;
  Service *service = left->service;
  g_autoptr (PgValues) values = page_values (left);
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "outbox_left.sql", values, error);
  if (rows == NULL)
    return FALSE;
  note_page (left, rows);
  for (int i = 0; i < rows_count (rows); i++) {
    GError *cause = NULL;
    if (publisher_send_left (service->publisher, rows_text (rows, i, "run_id"),
                             (int)rows_int (rows, i, "step"), rows_text (rows, i, "job"),
                             rows_text (rows, i, "messages"), &cause)) {
      if (rows_int (rows, i, "step") >= 0)
        log_info ("Sent messages that a crash had left", "run_id", rows_text (rows, i, "run_id"));
    } else if (cause != NULL && cause->code == PRUNED_OUTAGE
               && (!kafka_producer_is_up (service->producer)
                   || clock_monotonic_us () >= until_us)) {
      g_propagate_error (error, cause);
      return FALSE;
    } else if (cause != NULL) {
      /* It can never be sent: continue with the rest. */
      log_warning_every (60, "outbox", "Messages in pruned.unpublished cannot be sent",
                         cause->message);
      g_error_free (cause);
    }
  }
  return TRUE;
}
