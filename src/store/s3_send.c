#include "store/s3_send.h"

#include <stdatomic.h>
#include <string.h>

#define TRIES 5
#define DOWN_MS 30000

/* Ends a call because the store is down; its objects stay open. */
void
call_end_down (Call *call, const char *words, gint64 retry_ms)
{
  pthread_mutex_lock (
      &call->s3->limiter.lock); /* calls end on the HTTP thread, or on the thread that makes them */
  for (guint i = 0; i < call->entries->len; i++) {
    S3Job *job = call_entry (call, i)->job;
    if (job->down == NULL)
      job->down = g_strdup_printf ("%s: %s", s3_target_name (call->s3->target), words);
    job->retry_ms = MAX (job->retry_ms, retry_ms);
  }
  pthread_mutex_unlock (&call->s3->limiter.lock);
  call_end (call);
}

void
call_try_again (Call *call, const char *words)
{
  if (++call->tries < TRIES && call_any_part (call, store_part_goes_on))
    call_send (call);
  else
    call_end_down (call, words, 5000);
}

gboolean
call_trouble (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken,
              S3Fault *fault, char **words)
{
  S3 *s3 = call->s3;
  const gboolean whole = call->bulk || call->kind == CALL_LIST; /* not about one object */
  if (http->status / 100 == 2 && broken != NULL && !answer->is_html) {
    limiter_failed (&s3->limiter, broken);
    call_try_again (call, broken);
    return TRUE;
  }
  g_autofree char *said = s3_error_words (http, answer);
  *fault = s3_error_fault (http, answer, whole);
  if (*fault == S3_SLOW_DOWN || *fault == S3_BROKEN) {
    if (*fault == S3_SLOW_DOWN)
      limiter_slow_down (&s3->limiter);
    else
      limiter_failed (&s3->limiter, said);
    call_try_again (call, said);
    return TRUE;
  }
  if (*fault == S3_MISCONFIGURED) {
    limiter_open (&s3->limiter, said);
    call_end_down (call, said, DOWN_MS);
    return TRUE;
  }
  limiter_succeeded (&s3->limiter);
  *words = g_steal_pointer (&said);
  return FALSE;
}

static gboolean
is_ended (const StorePart *part)
{
  return !store_part_goes_on (part);
}

/* Its time has passed, and nobody has asked it to end. */
static gboolean
is_late (const StorePart *part)
{
  return store_part_over (part) && !store_part_cancelled (part) && !store_part_shut (part);
}

static gboolean
is_not_late (const StorePart *part)
{
  return !is_late (part);
}

/* The answer of CALL is not waited for, because one of its parts is over. The objects of the others
 * are asked for again. That is no failure of the service. */
static void
abandon (Call *call)
{
  limiter_abandoned (&call->s3->limiter);
  if (!call_any_part (call, is_ended)) {
    call_end_down (call, "the request was ended", 5000);
    return;
  }
  if (call_any_part (call, is_late)) {
    Call *late = call_new (call->s3, call->bulk, call->take);
    for (guint i = 0; i < call->entries->len; i++)
      if (is_late (call_entry (call, i)->job->part))
        call_add (late, call_entry (call, i));
    call_keep_parts (call, is_not_late);
    call_end_down (late, "half of the lease was over before the call could be made", 5000);
  }
  call_send (call);
}

static void
on_answer (const HttpResponse *http, gpointer data)
{
  Call *call = data;
  S3Answer answer = { 0 };
  g_autofree char *broken = NULL;
  /* No failure of the service. */
  if (http->unwanted) {
    abandon (call);
    return;
  }
  if (http->status != 0 && http->body_len > 0)
    (void)s3_reader_end (g_steal_pointer (&call->reader), &answer, &broken);
  call->take (call, http, &answer, broken);
  s3_answer_clear (&answer);
}

/* Thread: http. */
static void
on_body (const char *body, gsize len, gpointer data)
{
  s3_reader_feed (((Call *)data)->reader, body, len);
}

/* --- requests --- */

/* Whether a part is over. Also cancels requests that still wait for their turn when half of the
 * lease is past. */
static gboolean
is_unwanted (gpointer call)
{
  return call_any_part (call, store_part_over);
}

static gboolean
is_barred (gpointer call)
{
  return call_any_part (call, is_ended);
}

void
call_send (Call *call)
{
  S3 *s3 = call->s3;
  gint64 start_us = 0, retry_ms = 0;
  g_autofree char *words = NULL;
  call_keep_parts (call, store_part_goes_on);
  if (call->entries->len == 0) {
    call_end (call);
    return;
  }
  g_autofree char *obstacle = s3_target_obstacle (s3->target);
  if (obstacle != NULL) {
    call_end_down (call, obstacle, 5000);
    return;
  }
  if (!limiter_ask (&s3->limiter, &start_us, &retry_ms, &words)) {
    call_end_down (call, words, retry_ms);
    return;
  }
  HttpRequest *request = call_request (call);
  gint64 left_ms = (call_deadline_us (call) - start_us) / 1000;
  s3_reader_free (call->reader); /* of an earlier try */
  call->reader = s3_reader_new ();
  request->on_body = on_body;
  request->start_us = start_us;
  request->unwanted = is_unwanted;
  request->barred = is_barred;
  request->timeout_ms = CLAMP (left_ms, 1, request->timeout_ms);
  http_send (s3->http, request, on_answer, call);
}
