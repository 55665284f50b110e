#include "engine/outbox/bundle.h"

#include "avro/message.h"
#include "base/clock.h"
#include "engine/service/envelope.h"

#include <stdarg.h>
#include <string.h>

#define FORMAT 1 /* the first byte of a stored bundle */

/* Numbers are little-endian. A text is its length and its bytes with the NUL, so that it can be
 * used in place. */
static void
put_number (GByteArray *to, gint64 number)
{
  number = GINT64_TO_LE (number);
  g_byte_array_append (to, (const guint8 *)&number, sizeof number);
}

static void
put_length (GByteArray *to, gsize at, gsize len)
{
  guint32 length = GUINT32_TO_LE ((guint32)len);
  memcpy (to->data + at, &length, sizeof length);
}

static void
put_text (GByteArray *to, const char *text)
{
  guint at = to->len;
  gsize len = strlen (text) + 1;
  g_byte_array_set_size (to, at + (guint)(sizeof (guint32) + len));
  put_length (to, at, len);
  memcpy (to->data + at + sizeof (guint32), text, len);
}

static gboolean
put_value (GByteArray *to, const char *type, const char *const *fields, GError **error)
{
  guint at = to->len;
  g_byte_array_set_size (to, at + sizeof (guint32));
  if (!message_encode_texts (type, fields, to, error))
    return FALSE;
  put_length (to, at, to->len - at - sizeof (guint32));
  return TRUE;
}

Bundle *
bundle_new (const char *run_id, int step, const char *job, guint slot)
{
  const guint8 format = FORMAT;
  Bundle *bundle = g_new0 (Bundle, 1);
  bundle->job = g_strdup (job);
  bundle_name (bundle, run_id, step, slot);
  bundle->stored = g_byte_array_new ();
  g_byte_array_append (bundle->stored, &format, 1);
  put_number (bundle->stored, clock_now_us ());
  return bundle;
}

Bundle *
bundle_new_of_no_run (void)
{
  return bundle_new ("", 0, "", 0);
}

void
bundle_name (Bundle *bundle, const char *run_id, int step, guint slot)
{
  g_free (bundle->run_id);
  bundle->run_id = g_strdup (run_id);
  bundle->step = step;
  bundle->slot = slot;
}

void
bundle_belongs (Bundle *bundle, const char *run_id, int step, const char *job, guint slot)
{
  g_free (bundle->job);
  bundle->job = g_strdup (job);
  bundle_name (bundle, run_id, step, slot);
}

void
bundle_free (Bundle *bundle)
{
  if (bundle == NULL)
    return;
  g_byte_array_unref (bundle->stored);
  g_clear_pointer (&bundle->sending, kafka_sending_drop);
  g_clear_pointer (&bundle->messages, g_ptr_array_unref);
  g_free (bundle->run_id);
  g_free (bundle->job);
  g_free (bundle->name);
  g_clear_error (&bundle->wrong);
  g_free (bundle);
}

guint
bundle_size (const Bundle *bundle)
{
  return bundle->size;
}

void
bundle_add (Bundle *bundle, const char *topic, gint32 partition, const char *key, const char *type,
            const char *ce_id, const char *const *fields)
{
  g_assert (bundle->messages == NULL);
  g_autoptr (GError) cause = NULL;
  guint before = bundle->stored->len;
  put_text (bundle->stored, topic);
  put_number (bundle->stored, partition);
  put_text (bundle->stored, key);
  put_text (bundle->stored, type);
  put_text (bundle->stored, ce_id);
  if (put_value (bundle->stored, type, fields, &cause)) {
    bundle->size++;
    return;
  }
  g_byte_array_set_size (bundle->stored, before);
  bundle_spoil (bundle, "message about %s: %s", key, cause->message);
}

BundleMark
bundle_mark (const Bundle *bundle)
{
  return (BundleMark){ bundle->stored->len, bundle->size, bundle->wrong == NULL };
}

void
bundle_cut (Bundle *bundle, BundleMark mark)
{
  g_assert (bundle->messages == NULL);
  g_byte_array_set_size (bundle->stored, mark.len);
  bundle->size = mark.size;
  if (mark.whole)
    g_clear_error (&bundle->wrong);
}

void
bundle_spoil (Bundle *bundle, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  if (bundle->wrong == NULL)
    bundle->wrong = g_error_new_valist (PRUNED_ERROR, PRUNED_RETRY, format, args);
  va_end (args);
}

gboolean
bundle_is_whole (const Bundle *bundle, GError **error)
{
  if (bundle->wrong != NULL && error != NULL)
    *error = g_error_copy (bundle->wrong);
  return bundle->wrong == NULL;
}

/* --- reading --- */

typedef struct {
  const guint8 *at, *end;
  gboolean broken;
} BundleReader;

static gconstpointer
take (BundleReader *reader, gsize len)
{
  const guint8 *at = reader->at;
  reader->broken |= (gsize)(reader->end - at) < len;
  if (reader->broken)
    return NULL;
  reader->at += len;
  return at;
}

static gint64
take_number (BundleReader *reader)
{
  gint64 number = 0;
  gconstpointer at = take (reader, sizeof number);
  if (at != NULL)
    memcpy (&number, at, sizeof number);
  return GINT64_FROM_LE (number);
}

static gconstpointer
take_bytes (BundleReader *reader, gsize *len)
{
  guint32 length = 0;
  gconstpointer at = take (reader, sizeof length);
  if (at != NULL)
    memcpy (&length, at, sizeof length);
  *len = GUINT32_FROM_LE (length);
  return take (reader, *len);
}

static const char *
take_text (BundleReader *reader)
{
  gsize len;
  const char *text = take_bytes (reader, &len);
  reader->broken |= text == NULL || len == 0 || text[len - 1] != '\0';
  return reader->broken ? "" : text;
}

static KafkaMessage *
take_message (BundleReader *reader, MessageHeader *headers)
{
  KafkaMessage message = { .offset = -1, .timestamp_ms = -1, .headers = headers };
  message.topic = (char *)take_text (reader);
  message.partition = (gint32)take_number (reader);
  message.key = (guint8 *)take_text (reader);
  message.key_len = strlen ((const char *)message.key);
  const char *type = take_text (reader), *ce_id = take_text (reader);
  message.n_headers = envelope_about (headers, type, ce_id);
  message.value = (guint8 *)take_bytes (reader, &message.value_len);
  return reader->broken ? NULL : kafka_message_pack (&message);
}

GPtrArray *
bundle_read (const guint8 *bytes, gsize len, const char *prefix, GError **error)
{
  BundleReader reader = { bytes, bytes + len, FALSE };
  const guint8 *format = take (&reader, 1);
  g_autoptr (GPtrArray) messages
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  gboolean known = format != NULL && *format == FORMAT;
  g_autofree char *time = clock_format (take_number (&reader));
  g_autofree char *source = envelope_source (prefix);
  MessageHeader headers[ENVELOPE_MOST];
  envelope_common (headers, source, time);
  while (known && !reader.broken && reader.at < reader.end) {
    KafkaMessage *message = take_message (&reader, headers);
    if (message != NULL)
      g_ptr_array_add (messages, message);
  }
  if (known && !reader.broken)
    return g_steal_pointer (&messages);
  return error_null (error, PRUNED_FATAL,
                     "pruned.unpublished: stored by an unknown version of pruned");
}

/* --- what is sent of them --- */

#define FORMS 2
static BundleForm forms[FORMS];

void
bundle_through (BundleForm form)
{
  guint n = 0;
  while (n < FORMS && forms[n] != NULL && forms[n] != form)
    n++;
  g_assert (n < FORMS);
  forms[n] = form;
}

gboolean
bundle_write (GPtrArray *messages, GError **error)
{
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < FORMS && forms[i] != NULL; i++)
    ok = forms[i](messages, error);
  return ok;
}
