#include "engine/service/origin.h"

#include "avro/message.h"

#include <string.h>

static char mine[40];
static gsize mine_len;

void
origin_clear (Origin *origin)
{
  g_free (origin->database);
  g_free (origin->name);
  g_free (origin->host);
  g_free (origin->system);
  *origin = (Origin){ NULL };
}

char *
origin_words (const Origin *origin)
{
  return g_strdup_printf ("%s on %s (identity %s)", origin->name, origin->host, origin->database);
}

void
origin_begin (const char *database)
{
  mine_len = g_strlcpy (mine, database, sizeof mine);
  g_assert (mine_len < sizeof mine);
}

const char *
origin_database (void)
{
  return mine_len > 0 ? mine : NULL;
}

char *
origin_refusal (const KafkaMessage *message)
{
  const MessageHeader *said = mine_len > 0 ? kafka_message_header (message, ORIGIN_HEADER) : NULL;
  if (said == NULL || (said->value_len == mine_len && memcmp (said->value, mine, mine_len) == 0))
    return NULL;
  g_autofree char *reason = g_strdup_printf (
      "of another database: its header " ORIGIN_HEADER
      " says %.36s, this database is %s; give one of the two another"
      " [topics] prefix, and if it was meant for this one, ask for it again here",
      said->value != NULL ? said->value : "nothing", mine);
  return message_printable (reason);
}
