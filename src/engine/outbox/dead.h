/* Messages that can never be handled go to `<prefix>.dead` unchanged, with the reason in headers
 * (docs/messages.md).
 *
 * Threads: any. Ownership: the copy is the caller's.
 */
#pragma once
#include "engine/service/service.h"

/* A copy of MESSAGE for the dead topic of PREFIX. ATTEMPTS: how often it was tried. */
KafkaMessage *dead_letter (const char *prefix, const KafkaMessage *message, const char *reason,
                           int attempts);

/* Sends LETTERS and waits for the acknowledgements. A letter that is too large for the topic is
 * sent without its value, and a header reports that; the original stays in its topic. */
gboolean dead_letters_send (Service *service, GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Logs and counts it. Call it after Kafka has acknowledged the letter. */
void dead_letter_log (const KafkaMessage *message, const char *reason);

/* Sends MESSAGE to the dead topic, waits for the acknowledgement, and logs it. */
gboolean dead_letter_bury (Service *service, const KafkaMessage *message, const char *reason,
                           int attempts, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A message of the dead topic, parsed. Its texts belong to the message. */
typedef struct {
  const char *reason, *source_topic, *first_seen, *last_seen;
  const char *omitted; /* why it has no value; NULL: it has its value */
  gint64 source_partition, source_offset, attempts; /* -1: not given */
  guint n_headers; /* headers of the original message: they come first */
} DeadLetter;

/* FALSE: not a dead letter of this program; then only n_headers is set. */
gboolean dead_letter_read (const KafkaMessage *message, DeadLetter *letter);
/* The original message, to send to its source again. It keeps its time, because the T and the id
 * of its run can depend on it. */
KafkaMessage *dead_letter_original (const KafkaMessage *message, const DeadLetter *letter);
