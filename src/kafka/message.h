/* One message, to be sent or received. A received or packed one is a single block of memory, so
 * that a hundred thousand a second cost one allocation each.
 *
 * Threads: any; a message belongs to one thread at a time.
 * Ownership: fields may be replaced by g_malloc'ed ones; kafka_message_free knows which are its
 * own. A field that is replaced directly must have been NULL.
 */
#pragma once
#include "base/error.h"
#include "base/header.h"

typedef struct {
  char *topic;
  gint32 partition;    /* to be sent: -1 = by key; once acknowledged: where it is */
  gint64 offset;       /* received or acknowledged */
  gint64 timestamp_ms; /* received: as Kafka says, -1: none; to be sent: -1 = now */
  guint8 *key;         /* NULL: none */
  gsize key_len;
  guint8 *value; /* NULL: tombstone */
  gsize value_len;
  MessageHeader *headers;
  guint n_headers;
  gint64 appended_ms; /* acknowledged: the broker's time, if the topic's timestamps are the
                         broker's; 0: not said */
  gboolean
      acked; /* set by kafka_publish; a second kafka_publish sends only those not acknowledged */
  gboolean refused; /* set by kafka_publish: the topic does not take it, whenever it is sent
                       (PRUNED_DATA) */
} KafkaMessage;

KafkaMessage *kafka_message_new (const char *topic, gint32 partition);
/* A message of its own from PARTS, with copies of everything that they point to. */
KafkaMessage *kafka_message_pack (const KafkaMessage *parts);
void kafka_message_free (KafkaMessage *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaMessage, kafka_message_free)

void kafka_message_set_key (KafkaMessage *message, const char *text); /* NULL: none */
/* Copies; VALUE NULL is a tombstone. */
void kafka_message_set_value (KafkaMessage *message, gconstpointer value, gsize len);
/* Takes the bytes and the array. */
void kafka_message_take_value (KafkaMessage *message, GByteArray *value);
void kafka_message_add_header (KafkaMessage *message, const char *name, const char *value);
/* The first header of that name (exactly), or NULL. */
const MessageHeader *kafka_message_header (const KafkaMessage *message, const char *name);
/* All but `acked` and `refused`. */
KafkaMessage *kafka_message_copy (const KafkaMessage *message);
/* For another topic, with the first N_HEADERS only. */
KafkaMessage *kafka_message_copy_as (const KafkaMessage *message, const char *topic,
                                     guint n_headers);
