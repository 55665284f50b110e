#include "engine/step/replica_state.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/service/stats.h"

#include <pthread.h>

#define FIRST_PAUSE_US G_USEC_PER_SEC
#define LONGEST_PAUSE_US (60 * G_USEC_PER_SEC)
#define LONGEST_LAG_PAUSE_US (8 * G_USEC_PER_SEC) /* it catches up by itself */
#define LAG_TOLD_US (10 * G_USEC_PER_SEC)         /* a standby that lags now and then is well */

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

gboolean
replica_may_try (ReplicaState *why)
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

void
replica_note (ReplicaState state, const char *detail)
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

void
replica_count (ReplicaState state)
{
  stats_add (STATS_REPLICA_PAGES, source_of (state), replica_words[state], 1);
}

void
replica_show_zeros (void)
{
  for (ReplicaState state = 0; state < REPLICA_N; state++)
    stats_show (STATS_REPLICA_PAGES, source_of (state), replica_words[state]);
}
