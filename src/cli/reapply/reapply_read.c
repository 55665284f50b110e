/* The ledger of erasures, from its topic. */
#include "avro/message.h"
#include "cli/reapply/reapply.h"
#include "engine/outbox/remember.h"
#include "engine/service/origin.h"
#include "kafka/reader.h"

#include "base/clock.h"

#define READ_MS 15000
#define MARGIN_US G_TIME_SPAN_DAY /* a message is written after its row went, by another clock */

static const char *
text_of (const json_t *content, const char *name)
{
  const char *text = json_string_value (json_object_get (content, name));
  return text != NULL ? text : "";
}

/* Of entries about one row and job the latest counts. */
static void
keep (Reapply *reapply, const json_t *content, char *key, gint64 erased_us)
{
  g_autofree char *entry
      = remember_entry (reapply->keys->pdata[0], text_of (content, "table"), key);
  g_autofree char *name = g_strconcat (text_of (content, "job"), "/", entry, NULL);
  Erased *known = g_hash_table_lookup (reapply->rows, name);
  const gboolean back = g_str_equal (text_of (content, "what"), REMEMBER_RESTORED);
  if (known != NULL) {
    known->back = erased_us > known->erased_us ? back : known->back;
    known->erased_us = MAX (known->erased_us, erased_us);
    g_free (key);
    return;
  }
  known = g_new0 (Erased, 1);
  *known = (Erased){
    .job = g_strdup (text_of (content, "job")), .key = key, .erased_us = erased_us, .back = back
  };
  g_hash_table_insert (reapply->rows, g_steal_pointer (&name), known);
}

static void
note_damaged (Reapply *reapply, const KafkaMessage *message, const char *why)
{
  g_ptr_array_add (reapply->damaged,
                   g_strdup_printf ("partition %d, offset %" G_GINT64_FORMAT ": %s",
                                    message->partition, message->offset, why));
}

/* The key with that id; NULL: it is none of those that are given. */
static const SealKey *
key_of (const Reapply *reapply, const char *id)
{
  for (guint i = 0; i < reapply->keys->len; i++)
    if (g_str_equal (id, seal_key_id (reapply->keys->pdata[i])))
      return reapply->keys->pdata[i];
  return NULL;
}

static void
open_entry (Reapply *reapply, const KafkaMessage *message, const json_t *content, gint64 erased_us)
{
  g_autoptr (GError) error = NULL;
  const char *key_id = text_of (content, "key_id");
  const SealKey *sealed = key_of (reapply, key_id);
  if (sealed == NULL) {
    reapply->sealed++;
    if (reapply->other_key == NULL)
      reapply->other_key = g_strdup (key_id);
    return;
  }
  char *key = seal_open (sealed, text_of (content, "sealed"), &error);
  if (key != NULL)
    keep (reapply, content, key, erased_us);
  else
    note_damaged (reapply, message, error->message);
}

static void
take_content (Reapply *reapply, const KafkaMessage *message, const json_t *content)
{
  gint64 erased_us = 0, until_us = 0;
  g_autoptr (GError) error = NULL;
  if (!clock_parse (text_of (content, "erased_at"), &erased_us, &error)
      || !clock_parse (text_of (content, "until"), &until_us, &error)) {
    note_damaged (reapply, message, error->message);
    return;
  }
  if (erased_us < reapply->since_us)
    return;
  reapply->n++;
  if (until_us <= reapply->now_us)
    reapply->expired++;
  else
    open_entry (reapply, message, content, erased_us);
}

static gboolean
take (const KafkaMessage *message, gpointer data)
{
  Reapply *reapply = data;
  const MessageSource source = { .value = message->value,
                                 .value_len = message->value_len,
                                 .headers = message->headers,
                                 .n_headers = message->n_headers,
                                 .type = REMEMBER_TYPE,
                                 .space = REMEMBER_TYPE };
  MessageDecoded decoded = { NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *strange = origin_refusal (message);
  if (message->value == NULL)
    return TRUE;
  if (strange != NULL)
    reapply->strange++;
  else if (message_decode (&source, &decoded, &error))
    take_content (reapply, message, decoded.content);
  else
    note_damaged (reapply, message, error->message);
  message_decoded_clear (&decoded);
  return TRUE;
}

ExitCode
reapply_read (Reapply *reapply, char **settings, GError **error)
{
  g_autofree char *topic = cli_topic (reapply->cli, REMEMBER_TOPIC);
  const gint64 from_ms = MAX (0, reapply->since_us - MARGIN_US) / 1000;
  return kafka_read_topic ((const char *const *)settings, topic, from_ms, READ_MS, take, reapply,
                           error)
             ? CODE_OK
             : cli_topic_failed (settings, topic, error);
}
