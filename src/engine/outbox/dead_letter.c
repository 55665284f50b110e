#include "engine/outbox/dead_letter.h"

#include "base/clock.h"
#include "base/cut.h"

/* In the order of adding, behind the headers of the message itself. */
enum {
  REASON,
  SOURCE_TOPIC,
  SOURCE_PARTITION,
  SOURCE_OFFSET,
  ATTEMPTS,
  FIRST_SEEN,
  LAST_SEEN,
  N_OURS
};
static const char *const OURS[N_OURS]
    = { "pruned_reason",   "pruned_source_topic", "pruned_source_partition", "pruned_source_offset",
        "pruned_attempts", "pruned_first_seen",   "pruned_last_seen" };
#define OMITTED "pruned_value_omitted"

KafkaMessage *
dead_letter (const char *prefix, const KafkaMessage *message, const char *reason, int attempts)
{
  KafkaMessage *dead = kafka_message_copy (message);
  g_free (dead->topic);
  dead->topic = g_strconcat (prefix, ".dead", NULL);
  dead->partition = -1;
  dead->timestamp_ms = -1;
  g_autofree char *partition = g_strdup_printf ("%d", message->partition);
  g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, message->offset);
  g_autofree char *count = g_strdup_printf ("%d", attempts);
  g_autofree char *first = clock_format (message->timestamp_ms * 1000);
  g_autofree char *last = clock_format (clock_now_us ());
  g_autofree char *why = cut_text (reason, CUT_ERROR_BYTES); /* it can name what was sent */
  const char *const values[N_OURS] = { why, message->topic, partition, offset, count, first, last };
  for (guint i = 0; i < N_OURS; i++)
    kafka_message_add_header (dead, OURS[i], values[i]);
  return dead;
}

KafkaMessage *
dead_letter_short (const KafkaMessage *letter)
{
  const MessageHeader *ours = letter->headers + letter->n_headers - N_OURS;
  KafkaMessage *message = kafka_message_new (letter->topic, -1);
  g_autofree char *omitted = g_strdup_printf (
      "%" G_GSIZE_FORMAT " bytes, too large for this topic: see the source", letter->value_len);
  for (guint i = 0; i < N_OURS; i++)
    kafka_message_add_header (message, ours[i].name, ours[i].value);
  kafka_message_add_header (message, OMITTED, omitted);
  return message;
}

/* Our headers are the last ones: a producer can send headers of the same names. NULL: not a dead
 * letter of this program. */
static const MessageHeader *
find_ours (const KafkaMessage *message, const char **omitted)
{
  guint n = message->n_headers;
  if (n > 0 && g_str_equal (message->headers[n - 1].name, OMITTED))
    *omitted = message->headers[--n].value;
  if (n < N_OURS)
    return NULL;
  const MessageHeader *ours = message->headers + n - N_OURS;
  for (guint i = 0; i < N_OURS; i++)
    if (!g_str_equal (ours[i].name, OURS[i]) || ours[i].value == NULL)
      return NULL;
  return ours;
}

static gint64
number_of (const MessageHeader *header)
{
  gint64 number;
  return g_ascii_string_to_signed (header->value, 10, 0, G_MAXINT64, &number, NULL) ? number : -1;
}

gboolean
dead_letter_read (const KafkaMessage *message, DeadLetter *letter)
{
  *letter = (DeadLetter){
    .n_headers = message->n_headers, .source_partition = -1, .source_offset = -1, .attempts = -1
  };
  const MessageHeader *ours = find_ours (message, &letter->omitted);
  if (ours == NULL)
    return FALSE;
  letter->reason = ours[REASON].value;
  letter->source_topic = ours[SOURCE_TOPIC].value;
  letter->source_partition = number_of (&ours[SOURCE_PARTITION]);
  letter->source_offset = number_of (&ours[SOURCE_OFFSET]);
  letter->attempts = number_of (&ours[ATTEMPTS]);
  letter->first_seen = ours[FIRST_SEEN].value;
  letter->last_seen = ours[LAST_SEEN].value;
  letter->n_headers = (guint)(ours - message->headers);
  return TRUE;
}

KafkaMessage *
dead_letter_original (const KafkaMessage *message, const DeadLetter *letter)
{
  gint64 first_us;
  KafkaMessage *original = kafka_message_copy_as (message, letter->source_topic, letter->n_headers);
  original->partition = (gint32)letter->source_partition;
  gboolean told = clock_parse (letter->first_seen, &first_us, NULL)
                  && first_us / 1000 < KAFKA_LATEST_MS; /* else it had no time, or an absurd one */
  original->timestamp_ms = told ? first_us / 1000 : -1;
  return original;
}
