#include "store/s3_call.h"

#include <stdatomic.h>

#define CHUNK_BYTES 4096

S3Job *
s3_job_new (S3 *s3, StorePart *part)
{
  S3Job *job = g_new0 (S3Job, 1);
  *job = (S3Job){ .s3 = s3, .part = part, .keys = g_string_chunk_new (CHUNK_BYTES), .open = 1 };
  return job;
}

void
s3_job_unref (S3Job *job)
{
  if (atomic_fetch_sub (&job->open, 1) > 1)
    return;
  store_part_done (job->part, job->down, job->retry_ms);
  g_string_chunk_free (job->keys);
  g_free (job->down);
  g_free (job);
}

Call *
call_new (S3 *s3, gboolean bulk, CallTake take)
{
  Call *call = g_new0 (Call, 1);
  call->s3 = s3;
  call->bulk = bulk;
  call->take = take;
  call->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  return call;
}

void
call_end (Call *call)
{
  s3_reader_free (call->reader);
  for (guint i = 0; i < call->entries->len; i++)
    s3_job_unref (g_array_index (call->entries, Entry, i).job);
  g_array_unref (call->entries);
  g_clear_pointer (&call->versions, g_ptr_array_unref);
  g_free (call);
}

Entry *
call_entry (const Call *call, guint i)
{
  return &g_array_index (call->entries, Entry, i);
}

void
call_add (Call *call, const Entry *entry)
{
  atomic_fetch_add (&entry->job->open, 1);
  g_array_append_vals (call->entries, entry, 1);
}

gboolean
call_any_part (const Call *call, PartIs is)
{
  const S3Job *last = NULL;
  for (guint i = 0; i < call->entries->len; i++) {
    const S3Job *job = call_entry (call, i)->job;
    if (job != last && is (job->part))
      return TRUE;
    last = job;
  }
  return FALSE;
}

void
call_keep_parts (Call *call, PartIs is)
{
  g_autoptr (GArray) all = call->entries;
  call->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  for (guint i = 0; i < all->len; i++) {
    const Entry *entry = &g_array_index (all, Entry, i);
    if (is (entry->job->part))
      g_array_append_vals (call->entries, entry, 1);
    else
      s3_job_unref (entry->job);
  }
}

char *
s3_job_key (S3Job *job, const StoreObject *object)
{
  g_autofree char *key = store_key (s3_target_prefix (job->s3->target), object);
  return g_string_chunk_insert (job->keys, key);
}

gint64
call_deadline_us (const Call *call)
{
  gint64 deadline_us = G_MAXINT64;
  for (guint i = 0; i < call->entries->len; i++)
    deadline_us = MIN (deadline_us, call_entry (call, i)->job->part->list->deadline_us);
  return deadline_us;
}

HttpRequest *
call_request (const Call *call)
{
  S3Target *target = call->s3->target;
  const char *key = call_entry (call, 0)->key;
  GPtrArray *ids = call->kind == CALL_VERSIONS ? call->versions : NULL;
  if (call->kind == CALL_LIST)
    return s3_request_list (target, key);
  if (!call->bulk)
    return s3_request_single (target, key, ids != NULL ? ids->pdata[ids->len - 1] : NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint i = 0; i < (ids != NULL ? ids->len : call->entries->len); i++)
    g_ptr_array_add (keys, ids != NULL ? (gpointer)key : call_entry (call, i)->key);
  return s3_request_bulk (target, keys, ids);
}

/* A key that is too long for the service stays so. */
void
s3_call_fail_object (StoreObject *object, const char *words)
{
  object->result = g_str_has_prefix (words, S3_TOO_LONG) || g_str_has_prefix (words, "KeyTooLong")
                       ? STORE_UNSAFE
                       : STORE_FAILED;
  g_free (object->error);
  object->error = g_strdup (words);
}
