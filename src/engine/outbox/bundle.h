/* The room of the outbox: the messages that a transaction publishes, from the row that it stores
 * to the acknowledgement. It uses the rooms before it, mainly the service.
 *
 * A bundle holds the messages that a transaction publishes. They are gathered during its steps,
 * then stored as one row of `pruned.unpublished`, then sent.
 *
 * A row stores topic, partition, key, type, ce_id and value of each message, and one time for all
 * of them. The headers that every message has are added on sending. Each removed row costs one
 * message, so the work per message is kept to its bytes.
 *
 * Threads: a Bundle belongs to one thread. Ownership: see each function.
 */
#pragma once
#include "base/error.h"
#include "kafka/kafka.h"

typedef struct {
  char *run_id, *job; /* the transaction's first run, and the lane's job */
  int step;
  guint slot;
  GByteArray *stored;
  guint size;
  GPtrArray *messages;   /* of KafkaMessage, made when first sent */
  KafkaSending *sending; /* begun and not ended; NULL: none */
  char *name;            /* in flight under this name; NULL: not stored */
  GError *wrong; /* the first message that could not be made: then nothing of the bundle is stored
                    or sent. NULL: none */
} Bundle;

/* RUN_ID and STEP name the transaction (its first run), JOB and SLOT its lane. */
Bundle *bundle_new (const char *run_id, int step, const char *job, guint slot);
/* For messages that belong to no run: of intake and of the clock's threads. */
Bundle *bundle_new_of_no_run (void);
/* Renames it before it is stored: after a run that this transaction moves on, so that the name is
 * never used again. */
void bundle_name (Bundle *bundle, const char *run_id, int step, guint slot);
/* The same, and moves it to another lane, before any message is added. */
void bundle_belongs (Bundle *bundle, const char *run_id, int step, const char *job, guint slot);
void bundle_free (Bundle *bundle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bundle, bundle_free)
/* Adds a message of TYPE. FIELDS are texts in the order of the schema. PARTITION -1: by key. A
 * message that cannot be encoded makes the bundle wrong. */
void bundle_add (Bundle *bundle, const char *topic, gint32 partition, const char *key,
                 const char *type, const char *ce_id, const char *const *fields);
guint bundle_size (const Bundle *bundle);
/* What is in it now; bundle_cut takes away what was added since. */
typedef struct {
  guint len, size;
  gboolean whole;
} BundleMark;
BundleMark bundle_mark (const Bundle *bundle);
void bundle_cut (Bundle *bundle, BundleMark mark);
/* A message cannot be encoded: makes the bundle wrong with PRUNED_RETRY and this text. The first
 * error is kept. */
void bundle_spoil (Bundle *bundle, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* TRUE: every message of the bundle could be encoded. Else ERROR is a copy of the first failure. */
gboolean bundle_is_whole (const Bundle *bundle, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The messages (of KafkaMessage, owned) in stored bytes. PREFIX: of topics. PRUNED_FATAL: not the
 * format of a bundle. */
GPtrArray *bundle_read (const guint8 *bytes, gsize len, const char *prefix, GError **error);

/* MESSAGES (of KafkaMessage) become what is sent. FALSE: not now; it is called again. */
typedef gboolean (*BundleForm) (GPtrArray *messages, GError **error);
/* All bundles go through FORM from now on, and through the earlier ones before it. Thread: main,
 * before there are others. */
void bundle_through (BundleForm form);
/* MESSAGES go through them. FALSE: not now. */
gboolean bundle_write (GPtrArray *messages, GError **error) G_GNUC_WARN_UNUSED_RESULT;
