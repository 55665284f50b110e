/* The room of the outbox: what a transaction has to publish, from the rows that it stores to the
 * acknowledged message. It uses jobs and the service.
 *
 * What a transaction has to publish: gathered while its steps go on, then one row of
 * `pruned.unpublished`, then messages.
 *
 * Stored are topic, partition, key, type, ce_id and value of each message, and one time for all;
 * the headers that every message has are added when it is sent. A removed row costs one message, so
 * nothing here is made message by message but its bytes.
 *
 * Threads: a Bundle belongs to one thread. Ownership: as said.
 */
#pragma once
#include "base/error.h"
#include "kafka/kafka.h"

typedef struct {
  char *run_id, *job; /* its first run, and the lane */
  int step;
  guint slot;
  GByteArray *stored;
  guint size;
  GPtrArray *messages;   /* of KafkaMessage, made when first sent */
  KafkaSending *sending; /* begun, not ended */
  char *name;            /* in flight under this name; NULL: not stored */
  GError *wrong; /* the first message that could not be made: nothing of the bundle is stored or
                    sent. NULL: none */
} Bundle;

/* RUN_ID and STEP name the transaction (its first run), JOB and SLOT its lane. */
Bundle *bundle_new (const char *run_id, int step, const char *job, guint slot);
/* Names it anew, before it is stored: after a run that this transaction moves on, so that the name
 * never comes again. */
void bundle_name (Bundle *bundle, const char *run_id, int step, guint slot);
/* The same, and to another lane: before anything is added. */
void bundle_belongs (Bundle *bundle, const char *run_id, int step, const char *job, guint slot);
void bundle_free (Bundle *bundle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bundle, bundle_free)
/* A message of TYPE whose FIELDS are texts in the schema's order. PARTITION -1: by key. What does
 * not fit makes the bundle wrong. */
void bundle_add (Bundle *bundle, const char *topic, gint32 partition, const char *key,
                 const char *type, const char *ce_id, const char *const *fields);
guint bundle_size (const Bundle *bundle);
/* Something that it was to have cannot be said: PRUNED_RETRY with these words; the first counts. */
void bundle_spoil (Bundle *bundle, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* FALSE with a copy of what is wrong with it. */
gboolean bundle_is_whole (const Bundle *bundle, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The messages (of KafkaMessage, owned) of stored bytes. PREFIX: of topics. PRUNED_FATAL: not what
 * a bundle stores. */
GPtrArray *bundle_read (const guint8 *bytes, gsize len, const char *prefix, GError **error);
