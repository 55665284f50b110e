/* One message, to send or received. A received or packed one is a single block of memory: one
 * allocation each, since a hundred thousand come per second.
 *
 * Threads: any; a message belongs to one thread at a time.
 * Ownership: fields can be set to g_malloc'ed memory; kafka_message_free knows which are part of
 * the block. Only a field that is NULL can be assigned directly.
 */
#pragma once
#include "base/error.h"
#include "base/header.h"

/* The end of 9999: a later timestamp of a received message counts as this, one before 1970 as none.
 * So it fits microseconds, a timestamptz and RFC 3339. */
#define KAFKA_LATEST_MS G_GINT64_CONSTANT (253402300799999)

typedef struct {
  char *topic;
  gint32 partition;    /* to send: -1 = by key; acknowledged: the actual one */
  gint64 offset;       /* received or acknowledged */
  gint64 timestamp_ms; /* received: Kafka's, -1 = none; to send: -1 = now */
  guint8 *key;         /* NULL: none */
  gsize key_len;
  guint8 *value; /* NULL: tombstone */
  gsize value_len;
  MessageHeader *headers;
  guint n_headers;
  gint64 appended_ms; /* acknowledged: the broker's time, if the topic uses it as timestamp; 0: not
                         known */
  gboolean acked;     /* set by kafka_publish; a second kafka_publish skips acknowledged messages */
  gboolean refused;   /* set by kafka_publish: the topic will never accept it (PRUNED_DATA) */
  gboolean too_large; /* set with `refused`: because of its size, or that of those beside it */
  gboolean filed;     /* it is in the files of the ledger of erasures (outbox/remember.h) */
} KafkaMessage;

KafkaMessage *kafka_message_new (const char *topic, gint32 partition);
/* A new message with the fields of PARTS, copied with everything that they point to. */
KafkaMessage *kafka_message_pack (const KafkaMessage *parts);
void kafka_message_free (KafkaMessage *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaMessage, kafka_message_free)

void kafka_message_set_key (KafkaMessage *message, const char *text); /* NULL: none */
/* Copies; VALUE NULL is a tombstone. */
void kafka_message_set_value (KafkaMessage *message, gconstpointer value, gsize len);
/* Takes ownership of the bytes and the array. */
void kafka_message_take_value (KafkaMessage *message, GByteArray *value);
void kafka_message_add_header (KafkaMessage *message, const char *name, const char *value);
/* The first header with exactly that name, or NULL. */
const MessageHeader *kafka_message_header (const KafkaMessage *message, const char *name);
/* Copies all but `acked`, `refused` and `too_large`. */
KafkaMessage *kafka_message_copy (const KafkaMessage *message);
/* The same for another topic, with the first N_HEADERS only. */
KafkaMessage *kafka_message_copy_as (const KafkaMessage *message, const char *topic,
                                     guint n_headers);
