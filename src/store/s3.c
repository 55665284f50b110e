#include "store/s3.h"

#include "store/s3_error.h"
#include "store/s3_send.h"
#include "store/s3_versions.h"
#include "store/s3_xml.h"

#include <stdatomic.h>
#include <string.h>

#define BULK_KEYS 1000
#define MOST_KEY_BYTES 1024

static void take_answer (Call *call, const HttpResponse *http, const S3Answer *answer,
                         const char *broken);

/* --- answers --- */

static void
split_into_singles (Call *call)
{
  for (guint i = 0; i < call->entries->len; i++) {
    Call *single = call_new (call->s3, FALSE, take_answer);
    call_add (single, call_entry (call, i));
    call_send (single);
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
    Call *own = call_new (call->s3, TRUE, take_answer);
    for (; i < n && call_entry (call, i)->job == job; i++)
      call_add (own, call_entry (call, i));
    call_send (own);
  }
  call_end (call);
  return TRUE;
}

/* Handles a refusal. If a call for many keys is refused for an unknown reason, one of its keys can
 * be invalid for the service: sends each key by itself, so that only that one fails. */
static void
refused (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken)
{
  S3 *s3 = call->s3;
  S3Fault fault;
  g_autofree char *words = NULL;
  if (call_trouble (call, http, answer, broken, &fault, &words))
    return;
  if (fault == S3_NO_BULK)
    atomic_store (&s3->no_bulk, TRUE);
  if (call->bulk) {
    if (atomic_load (&s3->no_bulk) || !split_by_parts (call))
      split_into_singles (call);
    return;
  }
  s3_call_fail_object (call_entry (call, 0)->object, words);
  call_end (call);
}

static void
end_single (Call *call, StoreResult result, gboolean marked)
{
  StoreObject *object = call_entry (call, 0)->object;
  limiter_succeeded (&call->s3->limiter);
  object->result = result;
  object->marked = marked;
  call_end (call);
}

/* Sets each object's result by the answer for its key; a key that the answer does not mention
 * counts as not deleted. */
static void
take_results (Call *call, const S3Answer *answer)
{
  Call *later = call_new (call->s3, TRUE, take_answer);
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
      s3_call_fail_object (object, words);
    else if (g_hash_table_contains (answer->deleted, entry->key)) {
      object->result = STORE_DELETED;
      object->marked = g_hash_table_contains (answer->marked, entry->key);
    } else
      s3_call_fail_object (object, "the service's answer does not mention this key");
  }
  limiter_succeeded (&call->s3->limiter);
  call_end (call);
  if (why == NULL) {
    call_end (later);
    return;
  }
  limiter_slow_down (&later->s3->limiter);
  call_try_again (later, why);
}

static void
take_answer (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken)
{
  if (!call->bulk && s3_says_deleted (http))
    end_single (call, STORE_DELETED, s3_says_marked (http));
  else if (!call->bulk && http->status == 404 && g_strcmp0 (answer->code, "NoSuchKey") == 0)
    end_single (call, STORE_ABSENT, FALSE);
  else if (call->bulk && http->status / 100 == 2 && broken == NULL && answer->is_result)
    take_results (call, answer);
  else
    refused (call, http, answer, broken);
}

/* Adds the objects of PART to the last of CALLS, or to further ones. Returns its job. */
static S3Job *
add_part (S3 *s3, StorePart *part, GPtrArray *calls)
{
  S3Job *job = s3_job_new (s3, part);
  gboolean bulk = !atomic_load (&s3->no_bulk), all = s3_target_all_versions (s3->target);
  for (guint i = 0; i < part->objects->len; i++) {
    const Entry entry = { job, part->objects->pdata[i], s3_job_key (job, part->objects->pdata[i]) };
    Call *call = calls->len > 0 ? calls->pdata[calls->len - 1] : NULL;
    if (strlen (entry.key) > MOST_KEY_BYTES) {
      s3_call_fail_object (entry.object, S3_TOO_LONG);
      continue;
    }
    if (all) {
      g_ptr_array_add (calls, s3_versions_call (s3, &entry));
      continue;
    }
    gboolean in_bulk = bulk && s3_xml_fits (entry.key);
    if (call == NULL || !in_bulk || !call->bulk || call->entries->len == BULK_KEYS)
      g_ptr_array_add (calls, call = call_new (s3, in_bulk, take_answer));
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
    call_send (calls->pdata[i]);
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
