#include "store/s3_versions.h"

#include "store/s3_error.h"
#include "store/s3_send.h"
#include "store/s3_xml.h"

#include <stdatomic.h>

#define NO_LIST "the service lists no versions: set [store.object] versions = current"
#define DOWN_MS 30000

static void take_list (Call *call, const HttpResponse *http, const S3Answer *answer,
                       const char *broken);

static StoreObject *
object_of (const Call *call)
{
  return call_entry (call, 0)->object;
}

static void
end_with (Call *call, StoreResult result)
{
  object_of (call)->result = result;
  call_end (call);
}

static void
fail_with (Call *call, const char *words)
{
  s3_call_fail_object (object_of (call), words);
  call_end (call);
}

/* CALL becomes the next request about its object. */
static void
go_on (Call *call, CallKind kind, CallTake take, gboolean bulk)
{
  call->kind = kind;
  call->take = take;
  call->bulk = bulk;
  call->tries = 0;
  call_send (call);
}

static void
list_again (Call *call)
{
  go_on (call, CALL_LIST, take_list, FALSE);
}

/* Its versions are gone. */
static void
end_gone (Call *call)
{
  if (call->more)
    list_again (call);
  else
    end_with (call, call->found ? STORE_DELETED : STORE_ABSENT);
}

/* --- the key itself --- */

static void
take_key (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken)
{
  S3Fault fault;
  g_autofree char *words = NULL;
  if (http->status == 404 && g_strcmp0 (answer->code, "NoSuchKey") == 0)
    end_with (call, STORE_ABSENT);
  else if (s3_says_deleted (http) && !s3_says_marked (http)) {
    limiter_succeeded (&call->s3->limiter);
    end_with (call, STORE_DELETED);
  } else if (s3_says_deleted (http)) {
    limiter_succeeded (&call->s3->limiter);
    list_again (call);
  } else if (!call_trouble (call, http, answer, broken, &fault, &words))
    fail_with (call, words);
}

/* --- versions --- */

/* NULL: each is deleted, or was not there. Else why not; borrowed. */
static const char *
left_of (const Call *call, const S3Answer *answer)
{
  const char *key = call_entry (call, 0)->key;
  for (guint i = 0; i < call->versions->len; i++) {
    g_autofree char *item = s3_xml_item (key, call->versions->pdata[i]);
    if (g_hash_table_contains (answer->deleted, item))
      continue;
    const char *words = g_hash_table_lookup (answer->errors, item);
    if (words == NULL)
      words = g_hash_table_lookup (answer->errors, key);
    if (words == NULL)
      return "the service's answer does not mention a version of this key";
    if (!g_str_has_prefix (words, "NoSuch"))
      return words;
  }
  return NULL;
}

static void
take_bulk (Call *call, const S3Answer *answer)
{
  const char *words = left_of (call, answer);
  if (words != NULL && s3_error_is_for_later (words)) {
    limiter_slow_down (&call->s3->limiter);
    call_try_again (call, words);
    return;
  }
  limiter_succeeded (&call->s3->limiter);
  if (words != NULL)
    fail_with (call, words);
  else
    end_gone (call);
}

/* The last of them, where each has a request of its own. */
static void
take_single (Call *call)
{
  limiter_succeeded (&call->s3->limiter);
  g_ptr_array_set_size (call->versions, (gint)call->versions->len - 1);
  call->tries = 0;
  if (call->versions->len > 0)
    call_send (call);
  else
    end_gone (call);
}

static void
take_versions (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken)
{
  S3Fault fault;
  g_autofree char *words = NULL;
  const gboolean absent
      = http->status == 404 && answer->code != NULL
        && (g_str_equal (answer->code, "NoSuchVersion") || g_str_equal (answer->code, "NoSuchKey"));
  if (call->bulk && http->status / 100 == 2 && broken == NULL && answer->is_result) {
    take_bulk (call, answer);
    return;
  }
  if (!call->bulk && (s3_says_deleted (http) || absent)) {
    take_single (call);
    return;
  }
  if (call_trouble (call, http, answer, broken, &fault, &words))
    return;
  if (fault == S3_NO_BULK)
    atomic_store (&call->s3->no_bulk, TRUE);
  if (call->bulk) /* each by itself, so that the one at fault is named */
    go_on (call, CALL_VERSIONS, take_versions, FALSE);
  else
    fail_with (call, words);
}

/* --- the list --- */

/* Takes the versions of the key from ANSWER. */
static void
take_ids (Call *call, const S3Answer *answer)
{
  const char *key = call_entry (call, 0)->key;
  g_clear_pointer (&call->versions, g_ptr_array_unref);
  call->versions = g_ptr_array_new_with_free_func (g_free);
  call->more = answer->truncated;
  for (guint i = 0; i < answer->versions->len; i++) {
    const S3Version *version = answer->versions->pdata[i];
    if (!s3_answer_is_of (answer, version, key))
      continue;
    call->found = call->found || !version->is_marker;
    g_ptr_array_add (call->versions, g_strdup (version->id));
  }
}

static void
take_listed (Call *call, const S3Answer *answer)
{
  S3 *s3 = call->s3;
  const gboolean fits = s3_xml_fits (call_entry (call, 0)->key);
  limiter_succeeded (&s3->limiter);
  if (!fits && !answer->encoded && answer->versions->len > 0) {
    fail_with (call, "the service's list of versions cannot name this key");
    return;
  }
  take_ids (call, answer);
  const gboolean any = call->versions->len > 0;
  if (any)
    go_on (call, CALL_VERSIONS, take_versions, fits && !atomic_load (&s3->no_bulk));
  else if (call->found || call->asked) {
    call->more = FALSE;
    end_gone (call);
  } else {
    call->asked = TRUE;
    go_on (call, CALL_DELETE, take_key, FALSE);
  }
}

static void
take_list (Call *call, const HttpResponse *http, const S3Answer *answer, const char *broken)
{
  S3Fault fault;
  g_autofree char *words = NULL;
  if (http->status / 100 == 2 && broken == NULL && answer->is_list)
    take_listed (call, answer);
  else if (call_trouble (call, http, answer, broken, &fault, &words))
    return;
  else if (fault == S3_NO_BULK) {
    limiter_open (&call->s3->limiter, NO_LIST);
    call_end_down (call, NO_LIST, DOWN_MS);
  } else
    fail_with (call, words);
}

Call *
s3_versions_call (S3 *s3, const Entry *entry)
{
  Call *call = call_new (s3, FALSE, take_list);
  call->kind = CALL_LIST;
  call_add (call, entry);
  return call;
}
