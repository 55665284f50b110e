#include "store/s3.h"

#include "http/http.h"
#include "store/limiter.h"
#include "store/s3_error.h"
#include "store/s3_request.h"
#include "store/s3_xml.h"

#include <string.h>

#define BULK_KEYS 1000
#define MOST_KEY_BYTES 1024
#define TRIES 5
#define CHUNK_BYTES 4096

typedef struct {
  Http *http;
  S3Target *target;
  Limiter limiter;
  gint no_bulk; /* atomic: the service has no DeleteObjects */
} S3;

/* The calls for one part. Used on the HTTP thread only, once the first call is sent. */
typedef struct {
  S3 *s3;
  StorePart *part;
  GStringChunk *keys;
  guint calls; /* atomic: calls under way, plus one while calls are being made */
  char *down;
  gint64 retry_ms;
} Job;

typedef struct {
  Job *job;
  GPtrArray *objects, *keys; /* parallel arrays; the contents belong to the job */
  gboolean bulk;
  guint tries;
  S3Reader *reader; /* reads the answer as it comes */
} Call;

static void send_call (Call *call);

static void
job_unref (Job *job)
{
  if (!g_atomic_int_dec_and_test (&job->calls))
    return;
  store_part_done (job->part, job->down, job->retry_ms);
  g_string_chunk_free (job->keys);
  g_free (job->down);
  g_free (job);
}

static Call *
call_new (Job *job, gboolean bulk)
{
  Call *call = g_new0 (Call, 1);
  call->job = job;
  call->bulk = bulk;
  call->objects = g_ptr_array_new ();
  call->keys = g_ptr_array_new ();
  g_atomic_int_inc (&job->calls);
  return call;
}

static void
call_end (Call *call)
{
  Job *job = call->job;
  s3_reader_free (call->reader);
  g_ptr_array_unref (call->objects);
  g_ptr_array_unref (call->keys);
  g_free (call);
  job_unref (job);
}

static void
call_add (Call *call, StoreObject *object, char *key)
{
  g_ptr_array_add (call->objects, object);
  g_ptr_array_add (call->keys, key);
}

static void
fail_object (StoreObject *object, const char *words)
{
  object->result = STORE_FAILED;
  g_free (object->error);
  object->error = g_strdup (words);
}

/* Ends a call because the store is down; its objects stay open. */
static void
end_down (Call *call, const char *words, gint64 retry_ms)
{
  Job *job = call->job;
  pthread_mutex_lock (
      &job->s3->limiter.lock); /* calls end on the HTTP thread, or on the thread that makes them */
  if (job->down == NULL)
    job->down = g_strdup_printf ("%s: %s", s3_target_name (job->s3->target), words);
  job->retry_ms = MAX (job->retry_ms, retry_ms);
  pthread_mutex_unlock (&job->s3->limiter.lock);
  call_end (call);
}

static void
try_again_or_give_up (Call *call, const char *words)
{
  if (++call->tries < TRIES && store_part_goes_on (call->job->part))
    send_call (call);
  else
    end_down (call, words, 5000);
}

/* --- answers --- */

static void
split_into_singles (Call *call)
{
  for (guint i = 0; i < call->objects->len; i++) {
    Call *single = call_new (call->job, FALSE);
    call_add (single, call->objects->pdata[i], call->keys->pdata[i]);
    send_call (single);
  }
  call_end (call);
}

/* Handles a refusal. If a call for many keys is refused for an unknown reason, one of its keys can
 * be invalid for the service: sends each key by itself, so that only that one fails. */
static void
refused (Call *call, const HttpAnswer *http, const S3Answer *answer)
{
  S3 *s3 = call->job->s3;
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
    g_atomic_int_set (&s3->no_bulk, TRUE);
    break;
  case S3_THIS_REQUEST:
    break;
  }
  limiter_succeeded (&s3->limiter);
  if (call->bulk) {
    split_into_singles (call);
    return;
  }
  fail_object (call->objects->pdata[0], words);
  call_end (call);
}

static void
end_single (Call *call, StoreResult result)
{
  limiter_succeeded (&call->job->s3->limiter);
  ((StoreObject *)call->objects->pdata[0])->result = result;
  call_end (call);
}

/* Sets each object's result by the answer for its key; a key that the answer does not mention
 * counts as not deleted. */
static void
take_results (Call *call, const S3Answer *answer)
{
  Call *later = call_new (call->job, TRUE);
  const char *why = NULL;
  later->tries = call->tries;
  for (guint i = 0; i < call->objects->len; i++) {
    StoreObject *object = call->objects->pdata[i];
    char *key = call->keys->pdata[i], *words = g_hash_table_lookup (answer->errors, key);
    if (words != NULL && s3_error_is_for_later (words)) {
      why = words;
      call_add (later, object, key);
    } else if (words != NULL && g_str_has_prefix (words, "NoSuchKey"))
      object->result = STORE_ABSENT;
    else if (words != NULL)
      fail_object (object, words);
    else if (g_hash_table_contains (answer->deleted, key))
      object->result = STORE_DELETED;
    else
      fail_object (object, "the service's answer does not mention this key");
  }
  limiter_succeeded (&call->job->s3->limiter);
  call_end (call);
  if (why == NULL) {
    call_end (later);
    return;
  }
  limiter_slow_down (&later->job->s3->limiter);
  try_again_or_give_up (later, why);
}

static void
take_answer (Call *call, const HttpAnswer *http, const S3Answer *answer, const char *broken)
{
  gboolean ok = http->status >= 200 && http->status < 300;
  if (!call->bulk && s3_says_deleted (http))
    end_single (call, STORE_DELETED);
  else if (!call->bulk && http->status == 404 && g_strcmp0 (answer->code, "NoSuchKey") == 0)
    end_single (call, STORE_ABSENT);
  else if (call->bulk && ok && broken == NULL && answer->is_result)
    take_results (call, answer);
  else if (ok && broken != NULL && !answer->is_html) {
    limiter_failed (&call->job->s3->limiter, broken);
    try_again_or_give_up (call, broken);
  } else
    refused (call, http, answer);
}

static void
on_answer (const HttpAnswer *http, gpointer data)
{
  Call *call = data;
  S3Answer answer = { 0 };
  g_autofree char *broken = NULL;
  if (http->unwanted) /* no failure of the service */
  {
    limiter_abandoned (&call->job->s3->limiter);
    if (store_part_cancelled (call->job->part) || store_part_shut (call->job->part))
      call_end (call);
    else
      end_down (call, "half of the lease was over before the call could be made", 5000);
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

/* Whether the part is over. Also cancels requests that still wait for their turn when half of the
 * lease is past. */
static gboolean
is_unwanted (gpointer call)
{
  return store_part_over (((Call *)call)->job->part);
}

static gboolean
is_barred (gpointer call)
{
  return !store_part_goes_on (((Call *)call)->job->part);
}

static void
send_call (Call *call)
{
  S3 *s3 = call->job->s3;
  gint64 start_us = 0, retry_ms = 0;
  g_autofree char *words = NULL;
  if (!store_part_goes_on (call->job->part)) {
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
  HttpRequest *request = call->bulk ? s3_request_bulk (s3->target, call->keys)
                                    : s3_request_single (s3->target, call->keys->pdata[0]);
  gint64 left_ms = (call->job->part->list->deadline_us - start_us) / 1000;
  s3_reader_free (call->reader); /* of an earlier try */
  call->reader = s3_reader_new ();
  request->on_body = on_body;
  request->start_us = start_us;
  request->unwanted = is_unwanted;
  request->barred = is_barred;
  request->timeout_ms = CLAMP (left_ms, 1, request->timeout_ms);
  http_send (s3->http, request, on_answer, call);
}

static void
s3_delete (gpointer store, StorePart *part)
{
  S3 *s3 = store;
  Job *job = g_new0 (Job, 1);
  gboolean bulk = !g_atomic_int_get (&s3->no_bulk);
  g_autoptr (GPtrArray) calls = g_ptr_array_new ();
  *job = (Job){ .s3 = s3, .part = part, .keys = g_string_chunk_new (CHUNK_BYTES), .calls = 1 };
  Call *call = NULL;
  for (guint i = 0; i < part->objects->len; i++) {
    StoreObject *object = part->objects->pdata[i];
    g_autofree char *key = store_key (s3_target_prefix (s3->target), object);
    if (strlen (key) > MOST_KEY_BYTES) {
      fail_object (object, "the key is longer than 1024 bytes");
      continue;
    }
    gboolean in_bulk = bulk && s3_xml_fits (key);
    if (call == NULL || !in_bulk || !call->bulk || call->keys->len == BULK_KEYS)
      g_ptr_array_add (calls, call = call_new (job, in_bulk));
    call_add (call, object, g_string_chunk_insert (job->keys, key));
  }
  for (guint i = 0; i < calls->len; i++)
    send_call (calls->pdata[i]);
  job_unref (job);
}

gpointer
s3_new (const Config *config, const char *bucket, GError **error)
{
  S3Target *target = s3_target_new (config, bucket, error);
  if (target == NULL)
    return NULL;
  S3 *s3 = g_new0 (S3, 1);
  s3->target = target;
  s3->http = http_new ();
  limiter_init (&s3->limiter);
  return s3;
}

static void
s3_free (gpointer store)
{
  S3 *s3 = store;
  http_free (s3->http);
  limiter_clear (&s3->limiter);
  s3_target_free (s3->target);
  g_free (s3);
}

const StoreKind s3_kind = { s3_delete, s3_free };
