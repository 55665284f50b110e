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
  g_autofree char *name
      = g_strconcat (text_of (content, "job"), "/", text_of (content, "entry"), NULL);
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
take_content (Reapply *reapply, const json_t *content)
{
  gint64 erased_us = 0, until_us = 0;
  const char *key_id = text_of (content, "key_id");
  if (!clock_parse (text_of (content, "erased_at"), &erased_us, NULL)
      || !clock_parse (text_of (content, "until"), &until_us, NULL)) {
    reapply->damaged++;
    return;
  }
  if (erased_us < reapply->since_us)
    return;
  reapply->n++;
  if (until_us <= reapply->now_us)
    reapply->expired++;
  else if (!g_str_equal (key_id, seal_key_id (reapply->key))) {
    reapply->sealed++;
    if (reapply->other_key == NULL)
      reapply->other_key = g_strdup (key_id);
  } else {
    char *key = seal_open (reapply->key, text_of (content, "sealed"), NULL);
    if (key != NULL)
      keep (reapply, content, key, erased_us);
    else
      reapply->damaged++;
  }
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
  g_autofree char *strange = origin_refusal (message);
  if (message->value == NULL)
    return TRUE;
  if (strange != NULL)
    reapply->strange++;
  else if (message_decode (&source, &decoded, NULL))
    take_content (reapply, decoded.content);
  else
    reapply->damaged++;
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
