#include "store/s3.h"

#include "http/http.h"
#include "store/limiter.h"
#include "store/s3_request.h"
#include "store/s3_xml.h"

#include <string.h>

#define BULK_KEYS 1000
#define MOST_KEY_BYTES 1024
#define TRIES 5

typedef struct {
  Http *http;
  S3Target *target;
  Limiter limiter;
  gint no_bulk; /* atomic: the service knows no DeleteObjects */
} S3;

/* The calls that a part needs; on the HTTP thread once the first has been sent. */
typedef struct {
  S3 *s3;
  StorePart *part;
  guint calls; /* atomic: under way, and one while they are being made */
  char *down;
  gint64 retry_ms;
} Job;

typedef struct {
  Job *job;
  GPtrArray *objects, *keys; /* side by side */
  gboolean bulk;
  guint tries;
} Call;

static void send_call (Call *call);

static void
job_unref (Job *job)
{
  if (!g_atomic_int_dec_and_test (&job->calls))
    return;
  store_part_done (job->part, job->down, job->retry_ms);
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
  call->keys = g_ptr_array_new_with_free_func (g_free);
  g_atomic_int_inc (&job->calls);
  return call;
}

static void
call_end (Call *call)
{
  Job *job = call->job;
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

/* The store is down: what is open stays open. */
static void
end_down (Call *call, const char *words, gint64 retry_ms)
{
  Job *job = call->job;
  pthread_mutex_lock (&job->s3->limiter.lock); /* calls end on the HTTP thread, and where they are made */
  if (job->down == NULL)
    job->down = g_strdup_printf ("%s: %s", s3_target_name (job->s3->target), words);
  job->retry_ms = MAX (job->retry_ms, retry_ms);
  pthread_mutex_unlock (&job->s3->limiter.lock);
  call_end (call);
}

static void
try_again_or_give_up (Call *call, const char *words)
{
  if (++call->tries < TRIES && !store_part_over (call->job->part))
    send_call (call);
  else
    end_down (call, words, 5000);
}

/* --- answers ------------------------------------------------------------------------------------------------ */

/* Errors of a whole request that no repetition mends. */
static gboolean
is_misconfigured (const char *code)
{
  static const char *const codes[] = { "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket",
                                       "RequestTimeTooSkewed", "ExpiredToken", "InvalidToken", "PermanentRedirect",
                                       "AuthorizationHeaderMalformed", "InvalidBucketName", NULL };
  return code != NULL && g_strv_contains (codes, code);
}

static gboolean
is_slow_down (long status, const char *code)
{
  return status == 503 || status == 429 || g_strcmp0 (code, "SlowDown") == 0 || g_strcmp0 (code, "TooManyRequests") == 0;
}

static gboolean
knows_no_bulk (long status, const char *code)
{
  return status == 501 || status == 405 || g_strcmp0 (code, "NotImplemented") == 0 || g_strcmp0 (code, "MethodNotAllowed") == 0;
}

static void
split_into_singles (Call *call)
{
  g_atomic_int_set (&call->job->s3->no_bulk, TRUE);
  for (guint i = 0; i < call->objects->len; i++)
    {
      Call *single = call_new (call->job, FALSE);
      call_add (single, call->objects->pdata[i], g_strdup (call->keys->pdata[i]));
      send_call (single);
    }
  call_end (call);
}

/* The service refused the request as a whole. */
static void
refused (Call *call, long status, const S3Answer *answer)
{
  S3 *s3 = call->job->s3;
  g_autofree char *words = answer->code != NULL
                               ? g_strdup_printf ("%s: %s", answer->code, answer->message != NULL ? answer->message : "")
                               : g_strdup_printf ("HTTP %ld, and no answer that S3 gives: is the endpoint an S3 service?", status);
  if (is_slow_down (status, answer->code))
    {
      limiter_slow_down (&s3->limiter);
      try_again_or_give_up (call, words);
    }
  else if (call->bulk && knows_no_bulk (status, answer->code))
    split_into_singles (call);
  else if (status >= 500)
    {
      limiter_failed (&s3->limiter, words);
      try_again_or_give_up (call, words);
    }
  else if (is_misconfigured (answer->code) || answer->code == NULL)
    {
      limiter_open (&s3->limiter, words);
      end_down (call, words, 30000);
    }
  else
    {
      limiter_succeeded (&s3->limiter);
      for (guint i = 0; i < call->objects->len; i++)
        fail_object (call->objects->pdata[i], words);
      call_end (call);
    }
}

/* Each key by what was said of it; one that was not mentioned has not been deleted as far as we know. */
static void
take_results (Call *call, const S3Answer *answer)
{
  for (guint i = 0; i < call->objects->len; i++)
    {
      StoreObject *object = call->objects->pdata[i];
      const char *words = g_hash_table_lookup (answer->errors, call->keys->pdata[i]);
      if (words != NULL && g_str_has_prefix (words, "NoSuchKey"))
        object->result = STORE_ABSENT;
      else if (words != NULL)
        fail_object (object, words);
      else if (g_hash_table_contains (answer->deleted, call->keys->pdata[i]))
        object->result = STORE_DELETED;
      else
        fail_object (object, "the service's answer does not mention this key");
    }
}

static void
on_answer (const HttpAnswer *http, gpointer data)
{
  Call *call = data;
  S3 *s3 = call->job->s3;
  S3Answer answer = { 0 };
  g_autofree char *why = NULL;
  if (http->unwanted) /* it says nothing about the service */
    {
      limiter_abandoned (&s3->limiter);
      call_end (call);
      return;
    }
  if (http->status == 0)
    {
      limiter_failed (&s3->limiter, http->error);
      try_again_or_give_up (call, http->error);
      return;
    }
  gboolean well_formed = http->body_len == 0 || s3_xml_parse (http->body, http->body_len, &answer, &why);
  gboolean ok = http->status >= 200 && http->status < 300;
  if (ok && !call->bulk && http->status != 200)
    {
      limiter_succeeded (&s3->limiter);
      ((StoreObject *)call->objects->pdata[0])->result = STORE_DELETED;
      call_end (call);
    }
  else if (!ok && !call->bulk && http->status == 404 && g_strcmp0 (answer.code, "NoSuchBucket") != 0)
    {
      limiter_succeeded (&s3->limiter);
      ((StoreObject *)call->objects->pdata[0])->result = STORE_ABSENT;
      call_end (call);
    }
  else if (ok && call->bulk && well_formed && answer.is_result)
    {
      limiter_succeeded (&s3->limiter);
      take_results (call, &answer);
      call_end (call);
    }
  else if (ok && !well_formed && strstr (http->body, "<html") == NULL && strstr (http->body, "<!DOCTYPE") == NULL)
    {
      limiter_failed (&s3->limiter, why);
      try_again_or_give_up (call, why);
    }
  else
    refused (call, http->status, &answer);
  s3_answer_clear (&answer);
}

/* --- requests ------------------------------------------------------------------------------------------------- */

static gboolean
is_unwanted (gpointer call)
{
  return store_part_cancelled (((Call *)call)->job->part);
}

static void
send_call (Call *call)
{
  S3 *s3 = call->job->s3;
  gint64 start_us = 0, retry_ms = 0;
  g_autofree char *words = NULL;
  if (store_part_over (call->job->part))
    {
      call_end (call);
      return;
    }
  if (!limiter_ask (&s3->limiter, &start_us, &retry_ms, &words))
    {
      end_down (call, words, retry_ms);
      return;
    }
  HttpRequest *request = call->bulk ? s3_request_bulk (s3->target, call->keys)
                                    : s3_request_single (s3->target, call->keys->pdata[0]);
  gint64 left_ms = (call->job->part->batch->deadline_us - g_get_monotonic_time ()) / 1000;
  request->start_us = start_us;
  request->unwanted = is_unwanted;
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
  *job = (Job){ .s3 = s3, .part = part, .calls = 1 };
  Call *call = NULL;
  for (guint i = 0; i < part->objects->len; i++)
    {
      StoreObject *object = part->objects->pdata[i];
      char *key = store_key (s3_target_prefix (s3->target), object);
      if (strlen (key) > MOST_KEY_BYTES)
        {
          fail_object (object, "the key is longer than 1024 bytes");
          g_free (key);
          continue;
        }
      if (call == NULL || !bulk || call->keys->len == BULK_KEYS)
        g_ptr_array_add (calls, call = call_new (job, bulk));
      call_add (call, object, key);
    }
  for (guint i = 0; i < calls->len; i++)
    send_call (calls->pdata[i]);
  job_unref (job);
}

gpointer
s3_new (const Config *config, GError **error)
{
  S3Target *target = s3_target_new (config, error);
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
