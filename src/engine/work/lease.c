#include "engine/work/lease.h"

#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/work/conclude.h"
#include "engine/work/objects.h"
#include "engine/work/ready.h"

/* The first transaction: takes and commits the lease of what `act` will do. NULL: it failed. */
static gpointer
take_lease (Step *step, Transaction *transaction, GError **error)
{
  const JobErrand *code = objects_errand (step->job);
  FAULT ("errand.before_lease");
  gpointer leased = code->lease (step, error);
  if (leased == NULL)
    return NULL;
  g_auto (DayAllowance) allowance = { 0 };
  if (brakes_note_leased (&step, 1, &allowance, error) && transaction_commit (transaction, error)) {
    day_took (&allowance);
    FAULT ("errand.after_lease");
    return leased;
  }
  code->free (leased);
  return NULL;
}

gboolean
lease_is_committed (Step *step, GError **error)
{
  if (!pg_in_transaction (step->pg) && !FAULT_ERROR ("errand.open_transaction"))
    return TRUE;
  step->error_class = "TransactionInProgress";
  return step_fail (step, error, PRUNED_RETRY,
                    "can't perform network calls inside a database transaction");
}

MessageNext
lease_and_act (Service *service, Lane *lane, Transaction *transaction, Step *step)
{
  g_autoptr (GError) error = NULL;
  conclude_note_started (step);
  gboolean ready = step->job->sentence == NULL || step_is_ready (step, &error);
  gpointer leased
      = ready && brakes_before (step, &error) ? take_lease (step, transaction, &error) : NULL;
  if (leased != NULL && lease_is_committed (step, &error)) {
    conclude_log_started (step);
    Errand *errand
        = lane_begin_errand (service->lanes, lane, objects_errand (step->job), step, leased);
    errand->code->act (leased, errand);
    return MESSAGE_AWAY;
  }
  if (leased != NULL)
    objects_errand (step->job)->free (leased);
  g_autofree char *sqlstate = g_strdup (pg_sqlstate (step->pg));
  transaction_rollback (transaction);
  return answer_failure (service, lane, step->pg, step, step->error_class != NULL ? "" : sqlstate,
                         error);
}
