#include "engine/step/replica.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "engine/service/stats.h"
#include "engine/step/replica_look.h"

#include <pthread.h>

#define ANSWER_MS 3000 /* with MOST_US less than idle_in_transaction_session_timeout */
#define MOST_US (2 * G_USEC_PER_SEC)
#define CATCH_UP_US (300 * G_TIME_SPAN_MILLISECOND) /* by then the primary's log is flushed */
#define LOOK_US (5 * G_TIME_SPAN_MILLISECOND)

#define FIRST_PAUSE_US G_USEC_PER_SEC
#define LONGEST_PAUSE_US (60 * G_USEC_PER_SEC)
#define LONGEST_LAG_PAUSE_US (8 * G_USEC_PER_SEC) /* it catches up by itself */
#define LAG_TOLD_US (10 * G_USEC_PER_SEC)         /* a standby that lags now and then is well */

struct _Replica {
  Pg *pg;
  ReplicaMark mark;
  gboolean ready;      /* for the step that begins */
  ReplicaState reason; /* if it is not */
};

/* --- what is known about the standby, for all workers --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static struct {
  gint64 pause_us, again_us; /* 0: it works */
  gint64 behind_since_us;    /* 0: it is not */
  ReplicaState last;
  gboolean told_any;
  ReplicaState told;
} known;

static const char *const remedies[REPLICA_N] = {
  [REPLICA_BEHIND] = "pruned doctor",
  [REPLICA_PAUSED] = "SELECT pg_wal_replay_resume() on the standby",
  [REPLICA_AWAY] = "check [postgres] replica_url and that the standby is up",
  [REPLICA_SLOW] = "see what keeps the standby busy",
  [REPLICA_PROMOTED] = "set [postgres] replica_url to a standby of the primary",
  [REPLICA_FOREIGN] = "set [postgres] replica_url to a standby of the primary, and to its database",
  [REPLICA_REFUSED] = "use the role of [postgres] url in [postgres] replica_url, too",
};

/* Whether to try it now. After a failure only one thread may, once the pause is over. *WHY: what
 * the last try came to. */
static gboolean
may_try (ReplicaState *why)
{
  gint64 now = clock_monotonic_us ();
  pthread_mutex_lock (&lock);
  gboolean may = known.pause_us == 0 || now >= known.again_us;
  if (may && known.pause_us > 0) /* meanwhile other threads use the primary at once */
    known.again_us = now + known.pause_us;
  *why = known.last;
  pthread_mutex_unlock (&lock);
  return may;
}

/* With the lock. TRUE: the log is to be told. */
static gboolean
change (ReplicaState state, gint64 now)
{
  known.last = state;
  gint64 most = state == REPLICA_BEHIND || state == REPLICA_PAUSED ? LONGEST_LAG_PAUSE_US
                                                                   : LONGEST_PAUSE_US;
  if (state == REPLICA_USED)
    known.pause_us = 0;
  else
    known.pause_us = MIN (MAX (known.pause_us * 2, FIRST_PAUSE_US), most);
  known.again_us = now + known.pause_us;
  if (state != REPLICA_BEHIND)
    known.behind_since_us = 0;
  else if (known.behind_since_us == 0)
    known.behind_since_us = now;
  gboolean early = state == REPLICA_BEHIND && now - known.behind_since_us < LAG_TOLD_US;
  gboolean tell = !early && (!known.told_any || known.told != state);
  if (tell) {
    known.told_any = TRUE;
    known.told = state;
  }
  return tell;
}

/* The outcome of a try, with a detail for the log (NULL: none). REPLICA_LAST counts as used, and
 * REPLICA_FAILED changes nothing. */
static void
note (ReplicaState state, const char *detail)
{
  if (state == REPLICA_FAILED)
    return;
  if (state == REPLICA_LAST)
    state = REPLICA_USED;
  pthread_mutex_lock (&lock);
  gboolean tell = change (state, clock_monotonic_us ());
  pthread_mutex_unlock (&lock);
  if (tell && state == REPLICA_USED)
    log_info ("Pages of sticky jobs are searched on the standby");
  else if (tell)
    log_warning ("The standby is not used; pages are searched on the primary", "reason",
                 replica_words[state], "detail", detail, "remedy", remedies[state]);
}

static const char *
source_of (ReplicaState state)
{
  return state == REPLICA_USED ? "replica" : "primary";
}

/* A page was searched on the standby (REPLICA_USED), or, for this reason, is on the primary. */
static void
count (ReplicaState state)
{
  stats_add (STATS_REPLICA_PAGES, source_of (state), replica_words[state], 1);
}

void
replica_show_zeros (void)
{
  for (ReplicaState state = 0; state < REPLICA_N; state++)
    stats_show (STATS_REPLICA_PAGES, source_of (state), replica_words[state]);
}

/* --- of a worker --- */

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
  note (state, detail);
}

void
replica_prepare (Replica *replica, Pg *pg, const Job *job)
{
  g_autoptr (GError) error = NULL, ignored = NULL;
  if (replica == NULL)
    return;
  replica->ready = FALSE;
  if (!job_is_sticky (job) || !may_try (&replica->reason))
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
  const ReplicaRun shown = { run->run_id, run->step, run->attempts };
  const gint64 began_us = clock_monotonic_us ();
  ReplicaLook look;
  for (;;) {
    if (!replica_look (replica->pg, &replica->mark, &shown, &look, error))
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
    note (replica->reason, NULL);
    FAULT_ABOUT ("replica.page_found", run->run_id);
  }
  replica->ready = FALSE; /* the mark is this step's */
  count (replica->reason);
  return more ? g_steal_pointer (&rows) : NULL;
}
