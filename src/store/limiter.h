/* How fast a service may be asked, and whether at all: the rate of requests grows by steps and
 * halves when the service asks for less or gives no whole answer (AIMD); after failures in a row
 * the circuit opens, and one request at a time probes whether it is back.
 *
 * Threads: any. Ownership: the store's.
 */
#pragma once
#include <glib.h>
#include <pthread.h>

typedef struct {
  pthread_mutex_t lock;
  double rate;          /* requests a second */
  gint64 next_us;       /* when the next request may start, monotonic */
  gint64 slowed_us;     /* when the rate was last halved */
  guint failures;       /* in a row */
  gint64 open_until_us; /* 0: the circuit is closed */
  gboolean probing;     /* one request is out to see */
  char *words;          /* of the last failure */
} Limiter;

void limiter_init (Limiter *limiter);
void limiter_clear (Limiter *limiter);
/* TRUE: the request may start at *START_US. FALSE: the circuit is open for *RETRY_MS; *WORDS
 * (g_free) says why. */
gboolean limiter_ask (Limiter *limiter, gint64 *start_us, gint64 *retry_ms, char **words);
void limiter_succeeded (Limiter *limiter);
void limiter_abandoned (Limiter *limiter); /* the request was not waited for */
void limiter_slow_down (Limiter *limiter); /* the service asked for it */
void limiter_failed (Limiter *limiter,
                     const char *words); /* no answer, or one that makes no sense */
void limiter_open (Limiter *limiter,
                   const char *words); /* nothing will work until somebody mends it */
