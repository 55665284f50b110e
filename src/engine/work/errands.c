#include "engine/work/errands.h"

#include "base/fault.h"
#include "base/clock.h"
#include "engine/brakes/brakes.h"
#include "engine/job/in_force.h"
#include "engine/lane/early.h"
#include "engine/step/pace.h"
#include "engine/work/claim.h"
#include "engine/work/conclude.h"
#include "engine/work/lease.h"
#include "engine/work/objects.h"
#include "engine/work/shareable.h"

typedef struct {
  Service *service;
  Pg *pg;
  const GPtrArray *lanes; /* of Lane */
  const JobErrands *code;
  GArray *works; /* of Work, borrowed, one for each lane */
  Claim claim;
  Bundle *bundle;
  GPtrArray *steps; /* of Step, owned, in the order of the lanes */
  gpointer *leased; /* the same; owned until an errand has it */
  DayAllowance allowance;
} Group;

static Lane *
lane_at (const Group *group, guint i)
{
  return group->lanes->pdata[i];
}

/* --- which lanes --- */

static gboolean
is_first_whole (const Lane *lane)
{
  const Pending *first = &g_array_index (lane->worker.pending, Pending, 0);
  return !first->alone && first->wrong == NULL;
}

gboolean
errands_fit (Service *service, Lane *lane)
{
  const Errand *errand = lane->list.errand;
  return lane->worker.pending->len > 0 && lane->worker.outages == 0
         && lane->worker.locked_since_us == 0 && !lane_should_yield (service->lanes, lane)
         && is_first_whole (lane)
         && (errand == NULL || errand->code->together->is_plain (errand->leased));
}

/* --- a transaction --- */

static void
group_init (Group *group, Service *service, Pg *pg, const GPtrArray *lanes)
{
  *group = (Group){ .service = service,
                    .pg = pg,
                    .lanes = lanes,
                    .code = objects_errand (((const Lane *)lanes->pdata[0])->job)->together,
                    .works = g_array_new (FALSE, FALSE, sizeof (Work)),
                    .steps = g_ptr_array_new_with_free_func ((GDestroyNotify)step_free),
                    .leased = g_new0 (gpointer, lanes->len) };
  for (guint i = 0; i < lanes->len; i++) {
    const Lane *lane = lanes->pdata[i];
    g_array_append_val (group->works, g_array_index (lane->worker.pending, Pending, 0).work);
  }
}

static void
group_clear (Group *group)
{
  const Lane *first = group->lanes->pdata[0];
  for (guint i = 0; i < group->lanes->len; i++)
    if (group->leased[i] != NULL)
      objects_errand (first->job)->free (group->leased[i]);
  g_free (group->leased);
  g_ptr_array_unref (group->steps); /* before the runs */
  claim_clear (&group->claim);
  day_allowance_clear (&group->allowance);
  g_clear_pointer (&group->bundle, bundle_free);
  g_array_unref (group->works);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Group, group_clear)

static Run *
run_of (const Group *group, guint i)
{
  const Work *work = &g_array_index (group->works, Work, i);
  for (guint k = 0; k < group->claim.runs->len; k++) {
    Run *run = group->claim.runs->pdata[k];
    if (g_str_equal (run->run_id, work->run_id))
      return run;
  }
  return NULL;
}

static gboolean
go_alone (GError **error, const char *why)
{
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_BUSY, why);
  return FALSE;
}

/* One step for each lane. The first of them begins the time of all. */
static gboolean
begin_steps (Group *group, GError **error)
{
  for (guint i = 0; i < group->lanes->len; i++) {
    Lane *lane = lane_at (group, i);
    Run *run = run_of (group, i);
    if (run == NULL || !shareable_errand (run))
      return go_alone (error, "tried again alone");
    if (group->bundle == NULL)
      group->bundle = bundle_new (run->run_id, run->step, lane->job->name, run->slot);
    Step *step
        = step_new (group->pg, run, group->service->prefix, lane->worker.bisect, group->bundle);
    g_ptr_array_add (group->steps, step);
    step->shared = TRUE;
    lane_note_run (group->service->lanes, lane, run->run_id);
    pace_begin (step);
  }
  return pg_exec_later (group->pg, "SET LOCAL lock_timeout = '100ms'", error);
}

/* All runs or none. */
static gboolean
claim (Group *group, GError **error)
{
  for (guint i = 1; i < group->lanes->len; i++)
    lane_note_run (group->service->lanes, lane_at (group, i),
                   g_array_index (group->works, Work, i).run_id);
  if (!claim_for_lane (&group->claim, group->service, group->pg, lane_at (group, 0), group->works,
                       error))
    return FALSE;
  lane_at (group, 0)->worker.locked_since_us = 0;
  if (group->claim.paused || group->claim.runs->len < group->works->len)
    return go_alone (error, "not all runs can be stepped");
  return begin_steps (group, error);
}

static void
roll_back (Group *group, const GError *error)
{
  log_debug ("Errands could not be done together; each is done alone", "job",
             lane_at (group, 0)->job->name, "error", error->message);
  transaction_rollback (&group->claim.transaction);
  if (group->bundle != NULL)
    publisher_abandon (group->service->publisher, group->bundle);
}

static Step *const *
steps_of (const Group *group)
{
  return (Step *const *)group->steps->pdata;
}

/* --- the first half --- */

static gboolean
lease (Group *group, GError **error)
{
  const guint n = group->lanes->len;
  if (!claim (group, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    Step *step = group->steps->pdata[i];
    conclude_note_started (step);
    if (!brakes_before_like (step, i > 0 ? group->steps->pdata[0] : NULL, error))
      return FALSE;
  }
  FAULT ("errand.before_lease");
  if (!group->code->lease (steps_of (group), n, group->leased, error)
      || !brakes_note_leased (steps_of (group), n, &group->allowance, error)
      || !transaction_commit (&group->claim.transaction, error))
    return FALSE;
  day_took (&group->allowance);
  FAULT ("errand.after_lease");
  FAULT ("errands.after_lease");
  return TRUE;
}

static void
act (Group *group)
{
  const guint n = group->lanes->len;
  const JobErrand *code = objects_errand (lane_at (group, 0)->job);
  g_autofree Errand **errands = g_new0 (Errand *, n);
  g_autofree gpointer *leased = g_memdup2 (group->leased, n * sizeof (gpointer));
  for (guint i = 0; i < n; i++) {
    conclude_log_started (group->steps->pdata[i]);
    errands[i] = lane_begin_errand (group->service->lanes, lane_at (group, i), code,
                                    group->steps->pdata[i], leased[i]);
    group->leased[i] = NULL;
  }
  lanes_group_errands (group->service->lanes, errands, n);
  group->code->act (leased, errands, n);
}

gboolean
errands_begin (Service *service, Pg *pg, const GPtrArray *lanes, gboolean *again)
{
  g_auto (Group) group = { 0 };
  g_autoptr (GError) error = NULL;
  group_init (&group, service, pg, lanes);
  if (lease (&group, &error) && lease_is_committed (group.steps->pdata[0], &error)) {
    act (&group);
    return TRUE;
  }
  *again = group.allowance.again;
  roll_back (&group, error);
  return FALSE;
}

/* --- the second half --- */

/* Each gets its part of the time, as the time for a page of its own. */
static void
divide_time (const Group *group, gint64 began_us)
{
  const gint64 now = clock_monotonic_us (), own = (now - began_us) / group->steps->len;
  for (guint i = 0; i < group->steps->len; i++)
    ((Step *)group->steps->pdata[i])->transaction_us = now - own;
}

static gboolean
settle (Group *group, GError **error)
{
  const guint n = group->lanes->len;
  g_autofree gpointer *leased = g_new0 (gpointer, n);
  const gint64 began_us = clock_monotonic_us ();
  if (!claim (group, error))
    return FALSE;
  FAULT ("errand.before_settle");
  for (guint i = 0; i < n; i++) {
    const Errand *errand = lane_at (group, i)->list.errand;
    Step *step = group->steps->pdata[i];
    step->began_us = errand->began_us; /* with its lease */
    step->started_at_us = errand->started_at_us;
    leased[i] = errand->leased;
  }
  if (!group->code->settle (steps_of (group), leased, n, error))
    return FALSE;
  divide_time (group, began_us);
  if (!steps_settle (group->steps, group->service->publisher, error))
    return FALSE;
  FAULT ("errands.before_commit");
  if (!transaction_commit (&group->claim.transaction, error))
    return FALSE;
  FAULT ("errands.after_commit");
  return TRUE;
}

gboolean
errands_end (Service *service, Pg *pg, const GPtrArray *lanes)
{
  g_auto (Group) group = { 0 };
  g_autoptr (GError) error = NULL;
  group_init (&group, service, pg, lanes);
  if (!settle (&group, &error)) {
    roll_back (&group, error);
    return FALSE;
  }
  conclude_steps (service, lane_at (&group, 0), group.steps, &group.bundle);
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lane_at (&group, i);
    early_step_done (service->lanes, lane, group.steps->pdata[i]);
    lane_end_errand (service->lanes, lane);
    bisect_reset (lane->worker.bisect);
    g_array_remove_index (lane->worker.pending, 0);
  }
  return TRUE;
}
