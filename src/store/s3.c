#include "store/s3.h"

#include "store/s3_call.h"
#include "store/s3_error.h"
#include "store/s3_xml.h"

#include <stdatomic.h>
#include <string.h>

#define BULK_KEYS 1000
#define MOST_KEY_BYTES 1024
#define TOO_LONG "the key is longer than 1024 bytes"
#define TRIES 5

static void send_call (Call *call);

/* A key that is too long for the service stays so. */
static void
fail_object (StoreObject *object, const char *words)
{
  object->result = g_str_has_prefix (words, TOO_LONG) || g_str_has_prefix (words, "KeyTooLong")
                       ? STORE_UNSAFE
                       : STORE_FAILED;
  g_free (object->error);
  object->error = g_strdup (words);
}

/* Ends a call because the store is down; its objects stay open. */
static void
end_down (Call *call, const char *words, gint64 retry_ms)
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

static void
try_again_or_give_up (Call *call, const char *words)
{
  if (++call->tries < TRIES && call_any_part (call, store_part_goes_on))
    send_call (call);
  else
    end_down (call, words, 5000);
}

/* --- answers --- */

static void
split_into_singles (Call *call)
{
  for (guint i = 0; i < call->entries->len; i++) {
    Call *single = call_new (call->s3, FALSE);
    call_add (single, call_entry (call, i));
    send_call (single);
  }
  call_end (call);
}

/* Each part gets a call of its own: what is wrong with one must not make the others slow. FALSE: it
 * is one part only. */
static gboolean
split_by_parts (Call *call)
{
  const guint n = call->entries->len;
  if (call_entry (call, 0)->job == call_entry (call, n - 1)->job)
    return FALSE;
  for (guint i = 0; i < n;) {
    const S3Job *job = call_entry (call, i)->job;
    Call *own = call_new (call->s3, TRUE);
    for (; i < n && call_entry (call, i)->job == job; i++)
      call_add (own, call_entry (call, i));
    send_call (own);
  }
  call_end (call);
  return TRUE;
}

/* Handles a refusal. If a call for many keys is refused for an unknown reason, one of its keys can
 * be invalid for the service: sends each key by itself, so that only that one fails. */
static void
refused (Call *call, const HttpResponse *http, const S3Answer *answer)
{
  S3 *s3 = call->s3;
  g_autofree char *words = s3_error_words (http, answer);
  switch (s3_error_fault (http, answer, call->bulk)) {
  case S3_SLOW_DOWN:
    limiter_slow_down (&s3->limiter);
    try_again_or_give_up (call, words);
    return;
  case S3_BROKEN:
    limiter_failed (&s3->limiter, words);
    try_again_or_give_up (call, words);
    return;
  case S3_MISCONFIGURED:
    limiter_open (&s3->limiter, words);
    end_down (call, words, 30000);
    return;
  case S3_NO_BULK:
    atomic_store (&s3->no_bulk, TRUE);
    break;
  case S3_THIS_REQUEST:
    break;
  }
  limiter_succeeded (&s3->limiter);
  if (call->bulk) {
    if (atomic_load (&s3->no_bulk) || !split_by_parts (call))
      split_into_singles (call);
    return;
  }
  fail_object (call_entry (call, 0)->object, words);
  call_end (call);
}

static void
end_single (Call *call, StoreResult result)
{
  limiter_succeeded (&call->s3->limiter);
  call_entry (call, 0)->object->result = result;
  call_end (call);
}

/* Sets each object's result by the answer for its key; a key that the answer does not mention
 * counts as not deleted. */
static void
take_results (Call *call, const S3Answer *answer)
{
  Call *later = call_new (call->s3, TRUE);
  const char *why = NULL;
  later->tries = call->tries;
  for (guint i = 0; i < call->entries->len; i++) {
    const Entry *entry = call_entry (call, i);
    StoreObject *object = entry->object;
    const char *words = g_hash_table_lookup (answer->errors, entry->key);
    if (words != NULL && s3_error_is_for_later (words)) {
      why = words;
      call_add (later, entry);
    } else if (words != NULL && g_str_has_prefix (words, "NoSuchKey"))
      object->result = STORE_ABSENT;
    else if (words != NULL)
      fail_object (object, words);
    else if (g_hash_table_contains (answer->deleted, entry->key))
      object->result = STORE_DELETED;
    else
      fail_object (object, "the service's answer does not mention this key");
  }
  limiter_succeeded (&call->s3->limiter);
  call_end (call);
  if (why == NULL) {
    call_end (later);
    return;
  }
  limiter_slow_down (&later->s3->limiter);
  try_again_or_give_up (later, why);
}

static void
take_answer (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken)
{
  gboolean ok = http->status >= 200 && http->status < 300;
  if (!call->bulk && s3_says_deleted (http))
    end_single (call, STORE_DELETED);
  else if (!call->bulk && http->status == 404 && g_strcmp0 (answer->code, "NoSuchKey") == 0)
    end_single (call, STORE_ABSENT);
  else if (call->bulk && ok && broken == NULL && answer->is_result)
    take_results (call, answer);
  else if (ok && broken != NULL && !answer->is_html) {
    limiter_failed (&call->s3->limiter, broken);
    try_again_or_give_up (call, broken);
  } else
    refused (call, http, answer);
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
    end_down (call, "the request was ended", 5000);
    return;
  }
  if (call_any_part (call, is_late)) {
    Call *late = call_new (call->s3, call->bulk);
    for (guint i = 0; i < call->entries->len; i++)
      if (is_late (call_entry (call, i)->job->part))
        call_add (late, call_entry (call, i));
    call_keep_parts (call, is_not_late);
    end_down (late, "half of the lease was over before the call could be made", 5000);
  }
  send_call (call);
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
  take_answer (call, http, &answer, broken);
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

static void
send_call (Call *call)
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
    end_down (call, obstacle, 5000);
    return;
  }
  if (!limiter_ask (&s3->limiter, &start_us, &retry_ms, &words)) {
    end_down (call, words, retry_ms);
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

/* Adds the objects of PART to the last of CALLS, or to further ones. Returns its job. */
static S3Job *
add_part (S3 *s3, StorePart *part, GPtrArray *calls)
{
  S3Job *job = s3_job_new (s3, part);
  gboolean bulk = !atomic_load (&s3->no_bulk);
  for (guint i = 0; i < part->objects->len; i++) {
    const Entry entry = { job, part->objects->pdata[i], s3_job_key (job, part->objects->pdata[i]) };
    Call *call = calls->len > 0 ? calls->pdata[calls->len - 1] : NULL;
    if (strlen (entry.key) > MOST_KEY_BYTES) {
      fail_object (entry.object, TOO_LONG);
      continue;
    }
    gboolean in_bulk = bulk && s3_xml_fits (entry.key);
    if (call == NULL || !in_bulk || !call->bulk || call->entries->len == BULK_KEYS)
      g_ptr_array_add (calls, call = call_new (s3, in_bulk));
    call_add (call, &entry);
  }
  return job;
}

static void
s3_delete (gpointer store, StorePart *const *parts, guint n)
{
  g_autoptr (GPtrArray) calls = g_ptr_array_new (), jobs = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (jobs, add_part (store, parts[i], calls));
  for (guint i = 0; i < calls->len; i++)
    send_call (calls->pdata[i]);
  for (guint i = 0; i < jobs->len; i++)
    s3_job_unref (jobs->pdata[i]);
}

static void
s3_free (gpointer store)
{
  S3 *s3 = store;
  http_free (s3->http);
  limiter_clear (&s3->limiter);
  g_clear_pointer (&s3->target, s3_target_free);
  g_free (s3);
}

gpointer
s3_new (const Config *config, const char *bucket, GError **error)
{
  S3 *s3 = g_new0 (S3, 1);
  limiter_init (&s3->limiter);
  s3->target = s3_target_new (config, bucket, error);
  s3->http = s3->target != NULL ? http_new (error) : NULL;
  if (s3->http != NULL)
    return s3;
  s3_free (s3);
  return NULL;
}

const StoreKind s3_kind = { s3_delete, s3_free };
