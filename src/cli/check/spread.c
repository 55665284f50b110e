#include "cli/check/spread.h"

#include "avro/message.h"
#include "base/plural.h"

typedef struct {
  gint32 partition; /* of the first message with this key */
  gboolean spread;
} Place;

struct _Spread {
  GHashTable *places; /* key -> Place */
  guint keys;         /* that are in several partitions */
  char *example;      /* one of them, and two of its partitions; NULL: none */
};

Spread *
spread_new (void)
{
  Spread *spread = g_new0 (Spread, 1);
  spread->places
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
  return spread;
}

void
spread_free (Spread *spread)
{
  g_hash_table_unref (spread->places);
  g_free (spread->example);
  g_free (spread);
}

static void
note_other (Spread *spread, const KafkaMessage *message, Place *place)
{
  place->spread = TRUE;
  spread->keys++;
  if (spread->example != NULL)
    return;
  g_autofree char *text = g_utf8_make_valid ((const char *)message->key, (gssize)message->key_len),
                  *key = message_printable (text);
  spread->example
      = g_strdup_printf ("%s in %d and %d", key, MIN (place->partition, message->partition),
                         MAX (place->partition, message->partition));
}

void
spread_note (Spread *spread, const KafkaMessage *message)
{
  if (message->key == NULL)
    return;
  GBytes *key = g_bytes_new (message->key, message->key_len);
  Place *place = g_hash_table_lookup (spread->places, key);
  if (place != NULL && place->partition != message->partition && !place->spread)
    note_other (spread, message, place);
  if (place == NULL) {
    place = g_new0 (Place, 1);
    place->partition = message->partition;
    g_hash_table_insert (spread->places, g_bytes_ref (key), place);
  }
  g_bytes_unref (key);
}

char *
spread_words (const Spread *spread, const char *topic)
{
  if (spread->keys == 0)
    return NULL;
  return g_strdup_printf (
      "%s: %u %s in several partitions (%s), so what is sent with %s has no order. Unless the topic"
      " got more partitions, its producers choose them in different ways: set"
      " partitioner=murmur2_random in those that use librdkafka",
      topic, spread->keys, plural (spread->keys, "key is", "keys are"), spread->example,
      plural (spread->keys, "it", "them"));
}
