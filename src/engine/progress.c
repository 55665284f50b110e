#include "engine/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/lane/lane.h"
#include "engine/service/stats.h"

#define EVERY_US 200000
#define STOPPED "\033[31mstopped (pruned go)\033[0m  "

struct _Progress {
  Service *service;
  gint64 began_us, shown_us, rate_us;
  double rate_rows, rate;
};

Progress *
progress_new (Service *service)
{
  Progress *progress = g_new0 (Progress, 1);
  progress->service = service;
  progress->began_us = progress->rate_us = clock_monotonic_us ();
  return progress;
}

static gint64
messages_left (const Service *service)
{
  gint64 left = 0;
  g_autoptr (GArray) views = lanes_view (service->lanes);
  for (guint i = 0; i < views->len; i++) {
    const LaneView *view = &g_array_index (views, LaneView, i);
    gint64 end = kafka_partition_end (view->partition);
    if (view->handled >= 0 && end > view->handled)
      left += end - view->handled;
  }
  return left;
}

void
progress_show (Progress *progress)
{
  gint64 now = clock_monotonic_us ();
  if (progress == NULL || now - progress->shown_us < EVERY_US)
    return;
  progress->shown_us = now;
  double rows = stats_get (STATS_ROWS, NULL, "updated_rows");
  if (now - progress->rate_us >= G_USEC_PER_SEC) {
    progress->rate = (rows - progress->rate_rows) * 1e6 / (double)(now - progress->rate_us);
    progress->rate_rows = rows;
    progress->rate_us = now;
  }
  g_autofree char *line = g_strdup_printf (
      "%s%5.1f s  %.0f rows  %.0f rows/s  %.0f steps  %.0f runs finished  %.0f failures  %" G_GINT64_FORMAT
      " messages left",
      atomic_load (&progress->service->shared.stopped) ? STOPPED : "",
      (double)(now - progress->began_us) / 1e6, rows, progress->rate,
      stats_get (STATS_STEPS, NULL, NULL), stats_get (STATS_RUNS, NULL, "finished"),
      stats_get (STATS_FAILURES, NULL, NULL), messages_left (progress->service));
  log_live (line);
}

void
progress_free (Progress *progress)
{
  if (progress == NULL)
    return;
  log_live (NULL);
  g_free (progress);
}
