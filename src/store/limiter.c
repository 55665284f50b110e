#include "store/limiter.h"

#define FIRST_RATE 200.0
#define LEAST_RATE 1.0
#define MOST_RATE 2000.0
#define HALVE_EVERY_US (G_USEC_PER_SEC / 4)
#define FAILURES_TO_OPEN 3
#define OPEN_FIRST_MS 1000
#define OPEN_MOST_MS 60000

void
limiter_init (Limiter *limiter)
{
  *limiter = (Limiter){ .rate = FIRST_RATE };
  pthread_mutex_init (&limiter->lock, NULL);
}

void
limiter_clear (Limiter *limiter)
{
  pthread_mutex_destroy (&limiter->lock);
  g_free (limiter->words);
}

gboolean
limiter_ask (Limiter *limiter, gint64 *start_us, gint64 *retry_ms, char **words)
{
  gint64 now = g_get_monotonic_time ();
  pthread_mutex_lock (&limiter->lock);
  gboolean closed = limiter->open_until_us == 0;
  gboolean probe = !closed && !limiter->probing && now >= limiter->open_until_us;
  if (probe)
    limiter->probing = TRUE;
  if (closed || probe) {
    *start_us = MAX (now, limiter->next_us);
    limiter->next_us = *start_us + (gint64)(G_USEC_PER_SEC / limiter->rate);
  } else {
    *retry_ms = MAX (1000, (limiter->open_until_us - now) / 1000 + 1);
    *words = g_strdup (limiter->words);
  }
  pthread_mutex_unlock (&limiter->lock);
  return closed || probe;
}

void
limiter_succeeded (Limiter *limiter)
{
  pthread_mutex_lock (&limiter->lock);
  limiter->failures = 0;
  limiter->open_until_us = 0;
  limiter->probing = FALSE;
  limiter->rate = MIN (MOST_RATE, limiter->rate + 1);
  pthread_mutex_unlock (&limiter->lock);
}

void
limiter_abandoned (Limiter *limiter)
{
  pthread_mutex_lock (&limiter->lock);
  limiter->probing = FALSE;
  pthread_mutex_unlock (&limiter->lock);
}

/* Call it with the lock. Answers to requests that were under way at the last halving do not halve
 * the rate again. */
static void
slow_down (Limiter *limiter)
{
  gint64 now = g_get_monotonic_time ();
  if (now - limiter->slowed_us > HALVE_EVERY_US) {
    limiter->rate = MAX (LEAST_RATE, limiter->rate / 2);
    limiter->slowed_us = now;
  }
  limiter->next_us = MAX (limiter->next_us, now + (gint64)(G_USEC_PER_SEC / limiter->rate));
}

void
limiter_slow_down (Limiter *limiter)
{
  pthread_mutex_lock (&limiter->lock);
  limiter->probing = FALSE;
  slow_down (limiter);
  pthread_mutex_unlock (&limiter->lock);
}

static void
note_failure (Limiter *limiter, const char *words, guint least)
{
  pthread_mutex_lock (&limiter->lock);
  slow_down (limiter);
  /* The request was under way when the circuit opened. */
  if (limiter->open_until_us > g_get_monotonic_time ()) {
    pthread_mutex_unlock (&limiter->lock);
    return;
  }
  limiter->failures = MAX (limiter->failures + 1, least);
  limiter->probing = FALSE;
  g_free (limiter->words);
  limiter->words = g_strdup (words);
  if (limiter->failures >= FAILURES_TO_OPEN) {
    guint doublings = MIN (limiter->failures - FAILURES_TO_OPEN, 6);
    gint64 pause_ms = MIN (OPEN_FIRST_MS << doublings, OPEN_MOST_MS);
    limiter->open_until_us = g_get_monotonic_time () + pause_ms * 1000;
  }
  pthread_mutex_unlock (&limiter->lock);
}

void
limiter_failed (Limiter *limiter, const char *words)
{
  note_failure (limiter, words, 1);
}

void
limiter_open (Limiter *limiter, const char *words)
{
  note_failure (limiter, words, FAILURES_TO_OPEN);
}
