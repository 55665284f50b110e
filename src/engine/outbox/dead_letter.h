/* A message of `<prefix>.dead`: one that can never be handled, unchanged, with the reason in
 * headers (docs/messages.md).
 *
 * Threads: any. Ownership: the copy is the caller's.
 */
#pragma once
#include "kafka/message.h"

/* A copy of MESSAGE for the dead topic of PREFIX. ATTEMPTS: how often it was tried. */
KafkaMessage *dead_letter (const char *prefix, const KafkaMessage *message, const char *reason,
                           int attempts);
/* LETTER with our headers only: without the value and the headers of the original. */
KafkaMessage *dead_letter_short (const KafkaMessage *letter);

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
