/* Any bytes for message_decode. The first byte of the input says on which topic the value lies and
 * how many headers there are; then come the headers (`name\nvalue\n`), then the value. What is
 * decoded must also be encoded again. */
#include "avro/message.h"
#include "base/error.h"
#include <stdint.h>
#include <string.h>

#define MOST_HEADERS 6

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  message_setup ();
  return 0;
}

/* As the Kafka layer passes it: a copy, followed by a NUL. */
static char *
take_line (const uint8_t **data, size_t *size, gsize *len)
{
  const uint8_t *end = memchr (*data, '\n', *size);
  *len = end != NULL ? (size_t)(end - *data) : *size;
  char *line = g_malloc0 (*len + 1);
  memcpy (line, *data, *len);
  gsize taken = MIN (*len + 1, *size);
  *data += taken;
  *size -= taken;
  return line;
}

static void
round_trip (const MessageSource *source)
{
  MessageDecoded decoded;
  GError *error = NULL;
  if (!message_decode (source, &decoded, &error)) {
    g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    g_error_free (error);
    return;
  }
  g_autoptr (GByteArray) again = g_byte_array_new ();
  g_assert_true (message_encode (decoded.type, decoded.content, again, NULL));
  message_decoded_clear (&decoded);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const topics[][2] = {
    { "pruned.Tick", "pruned.Tick" },
    { "pruned.Work", "pruned.Work" },
    { NULL, "pruned.events." },
    { "pruned.outcomes.MemberDeletionProcessed", "pruned.outcomes." },
  };
  MessageHeader headers[MOST_HEADERS];
  if (size == 0)
    return 0;
  guint topic = data[0] % G_N_ELEMENTS (topics);
  guint n_headers = data[0] / G_N_ELEMENTS (topics) % (MOST_HEADERS + 1);
  data++, size--;
  for (guint i = 0; i < n_headers; i++) {
    gsize name_len;
    headers[i].name = take_line (&data, &size, &name_len);
    headers[i].value = take_line (&data, &size, &headers[i].value_len);
  }
  g_autofree guint8 *value = size > 0 ? g_memdup2 (data, size) : NULL;
  MessageSource source = { value, size, headers, n_headers, topics[topic][0], topics[topic][1] };
  round_trip (&source);
  for (guint i = 0; i < n_headers; i++) {
    g_free (headers[i].name);
    g_free (headers[i].value);
  }
  return 0;
}
