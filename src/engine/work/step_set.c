#include "engine/work/step_set.h"

#include "engine/step/step.h"
#include "base/clock.h"
#include "base/fault.h"
#include "engine/brakes/brakes.h"
#include "engine/job/arguments.h"
#include "engine/job/in_force.h"
#include "engine/job/job_needs.h"
#include "engine/step/guard.h"
#include "engine/step/beside.h"
#include "engine/step/erasure.h"
#include "engine/step/find.h"
#include "engine/step/pace.h"
#include "engine/step/page.h"
#include "engine/step/partitions.h"
#include "engine/step/held.h"
#include "engine/work/conclude.h"
#include "engine/work/divide.h"
#include "engine/work/on_failure.h"

void
step_set_init (StepSet *set, Service *service, Pg *pg, const Job *job)
{
  *set = (StepSet){ .service = service,
                    .pg = pg,
                    .bundle = bundle_new ("", 0, job->name, 0), /* step_set_commit names it */
                    .steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free),
                    .next = g_ptr_array_new_with_free_func ((GDestroyNotify)step_next_run_free) };
}

void
step_set_clear (StepSet *set)
{
  g_clear_pointer (&set->bundle, bundle_free);
  g_clear_pointer (&set->steps, g_ptr_array_unref); /* before the runs */
  g_clear_pointer (&set->next, g_ptr_array_unref);
  g_clear_pointer (&set->pages, found_pages_free);
  claim_clear (&set->claim);
  day_allowance_clear (&set->allowance);
}

Step *
step_set_make (const StepSet *set, const Lane *lane, Run *run, Step *before, gboolean shared)
{
  Step *step = step_new (set->pg, run, set->service->prefix, lane->worker.bisect, set->bundle);
  step->replica = lane->worker.replica;
  step->pages = set->pages;
  step->before = before;
  step->shared = shared;
  find_decide (step);
  return step;
}

/* --- how a step of each kind is done --- */

/* Those of STEPS (of Step) that do not fit are taken out. MOST: rows that they may change. */
typedef gboolean (*Apply) (GPtrArray *steps, gint64 most, GError **error);

static gboolean
apply_pages (GPtrArray *steps, gint64 most, GError **error)
{
  return steps->len == 1 ? page_apply (steps->pdata[0], error)
                         : page_set_apply (steps, most, error);
}

static void
leave_unfit (GPtrArray *steps, const gboolean *fits)
{
  for (guint i = steps->len; i-- > 0;)
    if (!fits[i])
      g_ptr_array_remove_index (steps, i);
}

static gboolean
make_steps (const GPtrArray *steps, gboolean *fits, GError **error)
{
  Step *const *all = (Step *const *)steps->pdata;
  const JobStepFunc make = all[0]->job->code->step;
  Beside beside;
  const gboolean ok = beside_begin_steps (&beside, all, steps->len, NULL, error)
                      && make (all, steps->len, fits, error)
                      && beside_end_steps (&beside, all, steps->len, error);
  beside_leave_steps (&beside, all, steps->len);
  return ok;
}

/* Each changes a row at least. */
static gboolean
apply_coded (GPtrArray *steps, gint64 most, GError **error)
{
  if (steps->len > most)
    g_ptr_array_set_size (steps, (int)MAX (1, most));
  Step *first = steps->pdata[0];
  g_autofree gboolean *fits = g_new (gboolean, steps->len);
  for (guint i = 0; i < steps->len; i++)
    fits[i] = TRUE;
  const gboolean holds = first->run->holds;
  if ((holds && !held_begin (first, error)) || !make_steps (steps, fits, error)
      || (holds && !held_stay (first, error)))
    return FALSE;
  leave_unfit (steps, fits);
  return TRUE;
}

static gboolean
apply_partitions (GPtrArray *steps, gint64 most, GError **error)
{
  Step *step = steps->pdata[0];
  const gboolean holds = step->run->holds;
  return (!holds || held_begin (step, error)) && partitions_step (step, error)
         && (!holds || held_stay (step, error));
}

/* A page of rows whose objects, or file, come first must not be applied as if they had none. */
static gboolean
apply_errand (GPtrArray *steps, gint64 most, GError **error)
{
  Step *step = steps->pdata[0];
  return step_block (step, error, "%s asks a store first: its rows do not go without that",
                     step->job->name);
}

static gboolean
apply_erasure (GPtrArray *steps, gint64 most, GError **error)
{
  return erasure_step (steps->pdata[0], error);
}

static const Apply applies[JOB_KINDS] = {
  [KIND_PAGE] = apply_pages,     [KIND_CODED] = apply_coded,  [KIND_ERRAND] = apply_errand,
  [KIND_OBJECTS] = apply_errand, [KIND_FILES] = apply_errand, [KIND_PARTITIONS] = apply_partitions,
  [KIND_ERASURE] = apply_erasure
};

/* --- what must be there before a step begins --- */

/* Is something missing that the job cannot do without, as STATEMENT says? */
static gboolean
check_reasons (Step *step, const PgStatement *statement, const PgValues *values, GError **error)
{
  g_autoptr (PgRows) reasons = pg_run (step->pg, statement, values, error);
  if (reasons == NULL || rows_count (reasons) == 0)
    return reasons != NULL;
  if (!guard_whole (statement, reasons, "reason", error))
    return FALSE;
  return step_block (step, error, "%s", rows_text (reasons, 0, "reason"));
}

static gboolean
check_blocked (Step *step, GError **error)
{
  const PgStatement *statement = step->job->blocked;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  return check_reasons (step, statement, values, error);
}

/* The same, for what is too dear to be asked at each step. That nothing is missing holds for the
 * minute, on this connection. */
static gboolean
check_for_minute (Step *step, const PgStatement *statement, const PgValues *values, GError **error)
{
  g_autofree char *minute
      = g_strdup_printf ("minute %" G_GINT64_FORMAT, clock_monotonic_us () / G_TIME_SPAN_MINUTE);
  const PgRows *reasons = pg_run_kept (step->pg, statement, values, minute, error);
  return reasons != NULL
         && (rows_count (reasons) == 0 || check_reasons (step, statement, values, error));
}

static gboolean
check_blocked_minute (Step *step, GError **error)
{
  const PgStatement *statement = step->job->blocked_minute;
  if (statement == NULL)
    return TRUE;
  g_autoptr (PgValues) values = pg_values_new ();
  step_bind (step, statement, values);
  return check_for_minute (step, statement, values, error);
}

/* What a folder of one's own says that it needs: its files need not read it. */
static gboolean
check_needs (Step *step, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  job_needs_bind (step->job, values);
  return check_for_minute (step, pg_statement (JOB_NEEDS), values, error);
}

/* Arguments that are wrong at every try. */
static gboolean
check_args (Step *step, GError **error)
{
  g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
  if (step->run->wrong != NULL)
    return step_fail (step, error, PRUNED_REJECT, "%s", step->run->wrong);
  return reason == NULL || step_fail (step, error, PRUNED_REJECT, "args: %s", reason);
}

gboolean
step_is_ready (Step *step, GError **error)
{
  return check_args (step, error) && step_complete (step, error)
         && (!job_needs_any (step->job) || check_needs (step, error))
         && (!job_asks_first (step->job)
             || (check_blocked (step, error) && check_blocked_minute (step, error)));
}

/* --- stages --- */

gboolean
step_set_fits (const Job *job)
{
  return job->code != NULL ? job->code->sets && !job_asks_first (job) : page_set_fits (job);
}

/* The first one asks for the job's SQL, for all. Those with wrong arguments are left out, and all
 * if their job takes no sets. */
static gboolean
are_ready (GPtrArray *steps, const char **at_fault, GError **error)
{
  Step *first = steps->pdata[0];
  const gboolean one = steps->len == 1;
  *at_fault = first->run->run_id;
  if (!one && job_asks_first (first->job)) {
    g_ptr_array_set_size (steps, 0);
    return TRUE;
  }
  if (!step_is_ready (first, error))
    return FALSE;
  find_decide (first);
  if (!one && !step_set_fits (first->job))
    g_ptr_array_set_size (steps, 0);
  for (guint i = steps->len; i-- > 1;) {
    Step *step = steps->pdata[i];
    step_take_job (step, first->job);
    find_decide (step);
    g_autofree char *reason = arguments_run_refusal (step->job, step->run->args);
    if (reason != NULL)
      g_ptr_array_remove_index (steps, i);
  }
  return TRUE;
}

static gboolean
may_clean_up (const Job *job)
{
  return job->code != NULL && job->code->on_failure != NULL;
}

static gboolean
check_after (const GPtrArray *steps, const char **at_fault, GError **error)
{
  for (guint i = 0; i < steps->len; i++) {
    Step *step = steps->pdata[i];
    *at_fault = step->run->run_id;
    if (!brakes_after (step, error))
      return FALSE;
  }
  *at_fault = NULL;
  return TRUE;
}

gboolean
step_set_run (GPtrArray *steps, gint64 most, const char **at_fault, GError **error)
{
  Step *first = steps->pdata[0];
  const gboolean one = steps->len == 1;
  const Apply apply = applies[first->job->kind->name];
  gboolean done = FALSE;
  *at_fault = NULL;
  for (guint i = 0; i < steps->len; i++) {
    conclude_note_started (steps->pdata[i]);
    FAULT_ABOUT ("step.after_fence", ((const Step *)steps->pdata[i])->run->run_id);
  }
  if (first->job->kind->errand)
    return apply (steps, most, error);
  if (!are_ready (steps, at_fault, error))
    return FALSE;
  if (steps->len == 0)
    return TRUE;
  if (one && first->finds & FINDS_IN_RANGES && !divide_before (first, &done, error))
    return FALSE;
  if (done)
    return TRUE;
  if (!brakes_before ((Step *const *)steps->pdata, steps->len, at_fault, error))
    return FALSE;
  for (guint i = 0; i < steps->len && may_clean_up (first->job); i++)
    on_failure_set (steps->pdata[i]);
  return apply (steps, most, error) && check_after (steps, at_fault, error)
         && (!one || !(first->finds & (FINDS_BESIDE | FINDS_TO_DIVIDE))
             || divide_after (first, error));
}

/* --- the end of the transaction --- */

gboolean
step_set_commit (StepSet *set, GError **error)
{
  const Step *first = set->steps->len > 0 ? set->steps->pdata[0] : NULL;
  if (first != NULL) /* the commit takes the run past this step, so the name is not used again */
    bundle_name (set->bundle, first->run->run_id, first->run->step, first->run->slot);
  if (first != NULL
      && (!day_take (set->steps, &set->allowance, error)
          || !steps_settle (set->steps, set->service->publisher, error)))
    return FALSE;
  if (!transaction_commit (&set->claim.transaction, error))
    return FALSE;
  day_took (&set->allowance);
  return TRUE;
}

void
step_set_roll_back (StepSet *set)
{
  transaction_rollback (&set->claim.transaction);
  publisher_abandon (set->service->publisher, set->bundle);
}
