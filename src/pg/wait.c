/* Waiting for the answer of a server, with limits. */
#include "base/clock.h"
#include "pg/pg_private.h"

#include <errno.h>
#include <poll.h>

#define CANCELLED_US (2 * G_USEC_PER_SEC)
#define LOOK_US (G_USEC_PER_SEC / 2) /* how often to check for a cancel */

/* A cancel that arrives between two statements has no effect. */
#define CUT_AGAIN_US (5 * G_USEC_PER_SEC)

/* Cancels the running statement if the transaction's deadline is past. */
static void
cut_in_time (Pg *pg, gint64 now)
{
  if (pg->deadline_us == 0 || now < pg->deadline_us)
    return;
  pg_cut (pg);
  pg->deadline_us = now + CUT_AGAIN_US;
}

/* When to stop waiting for an answer: soon after a cancel, since a live server then answers
 * soon. */
static gint64
deadline_of (Pg *pg, gint64 began_us)
{
  gint64 cancelled_us = atomic_load (&pg->cancelled_us),
         deadline = began_us + pg->answer_ms * G_TIME_SPAN_MILLISECOND;
  return cancelled_us == 0 ? deadline : MIN (deadline, MAX (began_us, cancelled_us) + CANCELLED_US);
}

/* How long to wait before checking again for an answer, a cancel or the transaction's deadline. */
static int
look_ms (const Pg *pg, gint64 now, gint64 left_us)
{
  gint64 wait_us = MIN (left_us, LOOK_US);
  if (pg->deadline_us != 0)
    wait_us = MIN (wait_us, MAX (pg->deadline_us - now, 0));
  return (int)(wait_us / 1000) + 1;
}

gboolean
pg_wait (Pg *pg, GError **error)
{
  gint64 began = clock_monotonic_us ();
  while (PQisBusy (pg->conn)) {
    int flushing = PQflush (pg->conn);
    struct pollfd fd = { PQsocket (pg->conn), (short)(POLLIN | (flushing == 1 ? POLLOUT : 0)), 0 };
    gint64 now = clock_monotonic_us (), left_us = deadline_of (pg, began) - now;
    cut_in_time (pg, now);
    if (left_us <= 0) {
      g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, PG_AWAY "no answer within %d s",
                   (int)((now - began) / G_USEC_PER_SEC));
      pg_close (pg);
      return FALSE;
    }
    if (poll (&fd, 1, look_ms (pg, now, left_us)) < 0 && errno != EINTR)
      return pg_fail_connection (pg, "poll", error);
    if (!PQconsumeInput (pg->conn))
      return pg_fail_connection (pg, "connection lost", error);
  }
  return TRUE;
}
