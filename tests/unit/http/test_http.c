#include "http/http.h"

#include <pthread.h>

#define AFTER_US (G_USEC_PER_SEC / 5)

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t came;
  gint64 signed_us; /* monotonic; 0: no request yet */
  gboolean unwanted, done;
} Watched;

static Watched watched = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, FALSE, FALSE };

/* Thread: http. */
static void
on_sign (HttpRequest *request)
{
  ((Watched *)request->signer)->signed_us = g_get_monotonic_time ();
  http_add_header (request, g_strdup ("Authorization: told late"));
}

/* Thread: http. */
static void
on_answer (const HttpResponse *answer, gpointer data)
{
  pthread_mutex_lock (&watched.lock);
  watched.done = TRUE;
  pthread_cond_signal (&watched.came);
  pthread_mutex_unlock (&watched.lock);
}

static gboolean
is_unwanted (gpointer data)
{
  return watched.unwanted;
}

/* A request that gets no answer ends at its time-out. */
static void
send_and_wait (gint64 start_us)
{
  Http *http = http_new (NULL);
  HttpRequest *request = g_new0 (HttpRequest, 1);
  *request = (HttpRequest){ .method = "GET",
                            .url = g_strdup ("http://127.0.0.1:9/"),
                            .sign = on_sign,
                            .signer = &watched,
                            .start_us = start_us,
                            .timeout_ms = 5000,
                            .unwanted = is_unwanted };
  watched.done = FALSE;
  watched.signed_us = 0;
  http_send (http, request, on_answer, NULL);
  pthread_mutex_lock (&watched.lock);
  while (!watched.done)
    pthread_cond_wait (&watched.came, &watched.lock);
  pthread_mutex_unlock (&watched.lock);
  http_free (http);
}

/* A signature is valid for minutes; a request may wait for longer. */
static void
test_a_request_is_signed_when_its_time_has_come (void)
{
  gint64 start_us = g_get_monotonic_time () + AFTER_US;
  watched.unwanted = FALSE;
  send_and_wait (start_us);
  g_assert_cmpint (watched.signed_us, >=, start_us);
}

static void
test_what_nobody_waits_for_any_more_is_not_signed (void)
{
  watched.unwanted = TRUE;
  send_and_wait (0);
  g_assert_cmpint (watched.signed_us, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/http/a-request-is-signed-when-its-time-has-come",
                   test_a_request_is_signed_when_its_time_has_come);
  g_test_add_func ("/http/what-nobody-waits-for-any-more-is-not-signed",
                   test_what_nobody_waits_for_any_more_is_not_signed);
  return g_test_run ();
}
