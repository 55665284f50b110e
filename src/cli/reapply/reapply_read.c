/* The ledger of erasures, from its topic and its files. */
#include "avro/message.h"
#include "cli/passed_over.h"
#include "cli/reapply/reapply.h"
#include "engine/outbox/remember.h"
#include "engine/outbox/remember_file.h"
#include "engine/service/envelope.h"
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
  *known = (Erased){ .job = g_strdup (text_of (content, "job")),
                     .table = g_strdup (text_of (content, "table")),
                     .key = key,
                     .erased_us = erased_us,
                     .back = back };
  g_hash_table_insert (reapply->rows, g_steal_pointer (&name), known);
}

/* Where an entry is: in the topic, or in a file. */
typedef struct {
  const KafkaMessage *message;
  const RememberedLine *line;
} Place;

static void
note_damaged (Reapply *reapply, const Place *place, const char *why)
{
  const KafkaMessage *message = place->message;
  reapply->n_damaged++;
  g_ptr_array_add (reapply->damaged,
                   message == NULL
                       ? g_strdup_printf ("%s:%u: %s", place->line->path, place->line->line, why)
                       : g_strdup_printf ("partition %d, offset %" G_GINT64_FORMAT ": %s",
                                          message->partition, message->offset, why));
}

static void
pass_over (const KafkaStretch *batch, gpointer data)
{
  Reapply *reapply = data;
  g_autofree char *topic = cli_topic (reapply->cli, REMEMBER_TOPIC);
  reapply->n_damaged += batch->to - batch->from;
  g_ptr_array_add (reapply->damaged, passed_over_text (topic, batch));
}

static void
note_other_key (Reapply *reapply, const char *id)
{
  reapply->sealed++;
  if (reapply->other_key == NULL)
    reapply->other_key = g_strdup (id);
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
open_entry (Reapply *reapply, const Place *place, const json_t *content, gint64 erased_us)
{
  g_autoptr (GError) error = NULL;
  const char *key_id = text_of (content, "key_id");
  const SealKey *sealed = key_of (reapply, key_id);
  if (sealed == NULL) {
    note_other_key (reapply, key_id);
    return;
  }
  char *key = seal_open (sealed, text_of (content, "sealed"), &error);
  if (key != NULL)
    keep (reapply, content, key, erased_us);
  else
    note_damaged (reapply, place, error->message);
}

static void
take_content (Reapply *reapply, const Place *place, const json_t *content)
{
  gint64 erased_us = 0, until_us = 0;
  g_autoptr (GError) error = NULL;
  if (!clock_parse (text_of (content, "erased_at"), &erased_us, &error)
      || !clock_parse (text_of (content, "until"), &until_us, &error)) {
    note_damaged (reapply, place, error->message);
    return;
  }
  if (erased_us < reapply->since_us)
    return;
  reapply->n++;
  if (until_us <= reapply->now_us)
    reapply->expired++;
  else
    open_entry (reapply, place, content, erased_us);
}

/* --- the topic --- */

static gboolean
take (const KafkaMessage *message, gpointer data)
{
  Reapply *reapply = data;
  const Place place = { .message = message };
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
    take_content (reapply, &place, decoded.content);
  else
    note_damaged (reapply, &place, error->message);
  message_decoded_clear (&decoded);
  return TRUE;
}

static ExitCode
read_topic (Reapply *reapply, GError **error)
{
  g_auto (GStrv) settings = cli_kafka_settings (reapply->cli, error);
  if (settings == NULL)
    return CODE_CONFIG;
  g_autofree char *topic = cli_topic (reapply->cli, REMEMBER_TOPIC);
  const gint64 from_ms = MAX (0, reapply->since_us - MARGIN_US) / 1000;
  const KafkaVisitor visitor = { take, pass_over, reapply };
  return kafka_read_topic ((const char *const *)settings, topic, from_ms, READ_MS, &visitor, error)
             ? CODE_OK
             : cli_topic_failed (settings, topic, error);
}

/* --- the files --- */

static void
take_line (const RememberedLine *line, gpointer data)
{
  Reapply *reapply = data;
  const Place place = { .line = line };
  if (line->damaged != NULL)
    note_damaged (reapply, &place, line->damaged);
  else if (line->other_key != NULL)
    note_other_key (reapply, line->other_key);
  else if (line->database != NULL && origin_database () != NULL
           && !g_str_equal (line->database, origin_database ()))
    reapply->strange++;
  else
    take_content (reapply, &place, line->content);
}

ExitCode
reapply_read (Reapply *reapply, GError **error)
{
  const Config *config = reapply->cli->config;
  const char *folder = remember_in_files (config) ? remember_folder (config, error) : NULL;
  if (remember_in_files (config)
      && (folder == NULL
          || !remember_file_read (folder, reapply->keys, reapply->since_us - MARGIN_US, take_line,
                                  reapply, error)))
    return CODE_CONFIG;
  return remember_in_topic (config) ? read_topic (reapply, error) : CODE_OK;
}
