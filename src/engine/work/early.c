#include "engine/work/early.h"

void
early_offer (Service *service, const Job *job, guint slot, const char *run_id, int step,
             int attempt)
{
  if (job_is_errand (job)) /* it begins with a copy of its message (lane/copy.h) */
    return;
  Work work = { g_strdup (run_id), step, attempt };
  GArray *works = works_new ();
  g_array_append_val (works, work);
  lanes_offer_early (service->lanes, job, job_partition (job, slot), works);
}

void
early_take (Service *service, Lane *lane, gboolean fresh)
{
  const gboolean busy = fresh || lane->worker.pending->len > EARLY_MOST;
  while (busy || (lane->worker.pending->len == 0 && lane->worker.ahead == NULL)) {
    g_autoptr (GArray) works = lane_take_early (service->lanes, lane);
    if (works == NULL)
      return;
    if (!busy)
      lane->worker.ahead = g_steal_pointer (&works);
  }
}
