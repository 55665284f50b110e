#include "engine/step/replica.h"

#include "base/clock.h"
#include "base/fault.h"
#include "engine/step/replica_state.h"

#define ANSWER_MS 3000 /* with MOST_US less than idle_in_transaction_session_timeout */
#define MOST_US (2 * G_USEC_PER_SEC)
#define CATCH_UP_US (300 * G_TIME_SPAN_MILLISECOND) /* by then the primary's log is flushed */
#define LOOK_US (5 * G_TIME_SPAN_MILLISECOND)

struct _Replica {
  Pg *pg;
  ReplicaMark mark;
  gboolean ready;      /* for the step that begins */
  ReplicaState reason; /* if it is not */
};

Replica *
replica_new (const PgSettings *primary, const char *url)
{
  if (*url == '\0')
    return NULL;
  PgSettings settings = *primary;
  settings.url = url;
  settings.answer_ms = ANSWER_MS;
  Replica *replica = g_new0 (Replica, 1);
  replica->pg = pg_new (&settings);
  return replica;
}

void
replica_free (Replica *replica)
{
  if (replica == NULL)
    return;
  pg_free (replica->pg);
  replica_mark_clear (&replica->mark);
  g_free (replica);
}

static void
give_up (Replica *replica, ReplicaState state, const char *detail)
{
  replica->ready = FALSE;
  replica->reason = state;
  if (state == REPLICA_PROMOTED || state == REPLICA_FOREIGN || state == REPLICA_REFUSED)
    pg_close (replica->pg);
  replica_note (state, detail);
}

void
replica_prepare (Replica *replica, Pg *pg, const Job *job)
{
  g_autoptr (GError) error = NULL, ignored = NULL;
  if (replica == NULL)
    return;
  replica->ready = FALSE;
  if (!job_is_sticky (job) || !replica_may_try (&replica->reason))
    return;
  if (!pg_ensure (replica->pg, &error)) {
    give_up (replica, REPLICA_AWAY, error->message);
    return;
  }
  replica->reason
      = REPLICA_FAILED; /* if the primary does not answer, the step itself will say so */
  replica->ready = replica_mark (pg, &replica->mark, &ignored);
}

void
replica_leave (Replica *replica)
{
  if (replica == NULL)
    return;
  replica->ready = FALSE;
  replica->reason = REPLICA_SHARED;
}

/* --- the page --- */

static void
give_up_after_look (Replica *replica, const ReplicaLook *look)
{
  g_autofree char *words = replica_look_words (look);
  give_up (replica, look->state, words);
}

/* Waits a moment for its replay. TRUE: later statements of the transaction see all of the mark. */
static gboolean
is_fresh (Replica *replica, const Run *run, GError **error)
{
  const ReplicaRun known = { run->run_id, run->step, run->attempts };
  const gint64 began_us = clock_monotonic_us ();
  ReplicaLook look;
  for (;;) {
    if (!replica_look (replica->pg, &replica->mark, &known, &look, error))
      return FALSE;
    if (look.state != REPLICA_BEHIND || clock_monotonic_us () - began_us >= CATCH_UP_US)
      break;
    g_usleep (LOOK_US);
  }
  if (look.state != REPLICA_USED)
    give_up_after_look (replica, &look);
  return look.state == REPLICA_USED;
}

/* Each statement sees what was replayed when it began: so the page is as fresh as the look. */
static PgRows *
search (Replica *replica, const Run *run, const PgValues *values)
{
  g_autoptr (GError) error = NULL;
  PgRows *rows = NULL;
  const gint64 deadline_us = clock_monotonic_us () + MOST_US;
  run_set_task (replica->pg, run->job, run->run_id);
  if (pg_begin (replica->pg, &error)) {
    pg_set_deadline (replica->pg, deadline_us);
    if (is_fresh (replica, run, &error))
      rows = pg_run (replica->pg, run->job->page, values, &error);
  }
  if (error != NULL) {
    gboolean late
        = g_str_equal (pg_sqlstate (replica->pg), "57014") && clock_monotonic_us () >= deadline_us;
    give_up (replica, late ? REPLICA_SLOW : replica_state_of_error (replica->pg, error),
             error->message);
  }
  pg_rollback (replica->pg);
  return rows;
}

PgRows *
replica_page (Replica *replica, const Run *run, const PgValues *values, int limit)
{
  if (replica == NULL || !job_is_sticky (run->job))
    return NULL;
  g_autoptr (PgRows) rows = replica->ready ? search (replica, run, values) : NULL;
  gboolean more = rows != NULL && rows_count (rows) > limit;
  if (rows != NULL) {
    replica->reason = more ? REPLICA_USED : REPLICA_LAST;
    replica_note (replica->reason, NULL);
    FAULT_ABOUT ("replica.page_found", run->run_id);
  }
  replica->ready = FALSE; /* the mark is this step's */
  replica_count (replica->reason);
  return more ? g_steal_pointer (&rows) : NULL;
}
