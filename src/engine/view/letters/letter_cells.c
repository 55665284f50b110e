#include "engine/view/letters/letter.h"

#include "avro/message.h"

#include <string.h>

#define OF_A_LETTER                                                                                \
  { "id" }, { "source_topic" }, { "source_partition", CELL_NUMBER },                               \
      { "source_offset", CELL_NUMBER }, { "attempts", CELL_NUMBER, TRUE },                         \
      { "first_seen", CELL_TIME, TRUE }, { "last_seen", CELL_TIME }, { "verdict" },                \
  {                                                                                                \
    "reason"                                                                                       \
  }

const Column LETTER_COLUMNS[] = { OF_A_LETTER, { NULL } };

const Column LETTER_WHOLE_COLUMNS[] = { OF_A_LETTER,
                                        { "omitted" },
                                        { "key" },
                                        { "headers", CELL_JSON },
                                        { "framing" },
                                        { "bytes", CELL_NUMBER },
                                        { "value", CELL_JSON },
                                        { "base64" },
                                        { NULL } };

/* The value and how it is encoded, as far as it can be read. */
typedef struct {
  const char *framing; /* avro, json, text, bytes; NULL: there is no value */
  json_t *value;
} Body;

/* Bytes that are not UTF-8 become `\xNN`. */
static json_t *
readable (gconstpointer bytes, gsize len)
{
  if (bytes == NULL)
    return json_null ();
  const char *at = bytes, *end = at + len, *bad;
  g_autoptr (GString) text = g_string_sized_new (len);
  while (!g_utf8_validate (at, end - at, &bad)) {
    g_string_append_len (text, at, bad - at);
    g_string_append_printf (text, "\\x%02x", (guchar)*bad);
    at = bad + 1;
  }
  g_string_append_len (text, at, end - at);
  return json_string (text->str);
}

static json_t *
number (gint64 value)
{
  return value < 0 ? json_null () : json_integer (value);
}

json_t *
letter_text (const char *value)
{
  return value == NULL ? json_null () : readable (value, strlen (value));
}

json_t *
letter_cells (const Letter *letter)
{
  const DeadLetter *said = &letter->said;
  g_autofree char *id = letter_id (letter);
  json_t *cells[] = { json_string (id),
                      letter_text (said->source_topic),
                      number (said->source_partition),
                      number (said->source_offset),
                      number (said->attempts),
                      letter_text (said->first_seen),
                      letter_text (said->last_seen),
                      letter_text (letter->verdict),
                      letter_text (said->reason) };
  json_t *array = json_array ();
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    json_array_append_new (array, cells[i]);
  return array;
}

/* --- one letter as a record --------------------------------------------------------------------
 */

/* All headers of the letter, including ours; a name can occur twice. */
static json_t *
headers_of (const KafkaMessage *message)
{
  json_t *headers = json_array ();
  for (guint i = 0; i < message->n_headers; i++) {
    const MessageHeader *header = &message->headers[i];
    json_t *pair = json_array ();
    json_array_append_new (pair, letter_text (header->name));
    json_array_append_new (pair, readable (header->value, header->value_len));
    json_array_append_new (headers, pair);
  }
  return headers;
}

/* The value as Avro of one of our types, which the headers or the topic name. NULL: it is not. */
static json_t *
decoded (const Letter *letter, const char *prefix)
{
  const KafkaMessage *message = letter->message;
  g_autofree char *ticks = g_strconcat (prefix, ".ticks", NULL);
  MessageSource source = { message->value,
                           message->value_len,
                           message->headers,
                           letter->said.n_headers,
                           g_strcmp0 (letter->said.source_topic, ticks) == 0 ? "pruned.Tick" : NULL,
                           "pruned." };
  MessageDecoded content = { 0 };
  if (!message_decode (&source, &content, NULL))
    return NULL;
  json_t *value = json_incref (content.content);
  message_decoded_clear (&content);
  return value;
}

static Body
body_of (const Letter *letter, const char *prefix)
{
  const char *value = (const char *)letter->message->value;
  gsize len = letter->message->value_len;
  if (value == NULL || letter->said.omitted != NULL)
    return (Body){ NULL, json_null () };
  json_t *content = NULL;
  if (g_utf8_validate (value, (gssize)len, NULL)) {
    content = len > 0 && value[0] == '{' ? json_parse_exact (value, len, NULL) : NULL;
    return content != NULL ? (Body){ "json", content } : (Body){ "text", readable (value, len) };
  }
  content = decoded (letter, prefix);
  return content != NULL ? (Body){ "avro", content } : (Body){ "bytes", readable (value, len) };
}

json_t *
letter_whole_cells (const Letter *letter, const char *prefix)
{
  const KafkaMessage *message = letter->message;
  Body body = body_of (letter, prefix);
  static const char *const unreadable[] = { "avro", "bytes", NULL };
  gboolean encode = body.framing != NULL && g_strv_contains (unreadable, body.framing);
  g_autofree char *base64 = encode ? g_base64_encode (message->value, message->value_len) : NULL;
  json_t *more[]
      = { letter_text (letter->said.omitted),
          readable (message->key, message->key_len),
          headers_of (message),
          letter_text (body.framing),
          body.framing != NULL ? json_integer ((json_int_t)message->value_len) : json_null (),
          body.value,
          letter_text (base64) };
  json_t *cells = letter_cells (letter);
  for (guint i = 0; i < G_N_ELEMENTS (more); i++)
    json_array_append_new (cells, more[i]);
  return cells;
}
