/* Messages that can never be handled go to `<prefix>.dead` as they came, with the reason beside
 * (docs/messages.md). Threads: any. Ownership: the copy is the caller's.
 */
#pragma once
#include "engine/service/service.h"

/* A copy of MESSAGE for the dead topic of PREFIX. ATTEMPTS: how often it was tried. */
KafkaMessage *dead_letter (const char *prefix, const KafkaMessage *message, const char *reason,
                           int attempts);

/* Sends LETTERS and waits until Kafka has them. One that is too large for the topic goes without
 * its value, and says so: the original stays where it came from. */
gboolean dead_letters_send (Service *service, GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The line about it, and the counter; after Kafka has acknowledged it. */
void dead_letter_log (const KafkaMessage *message, const char *reason);

/* A message of the dead topic taken apart. Its texts belong to the message. */
typedef struct {
  const char *reason, *source_topic, *first_seen, *last_seen;
  const char *omitted;                              /* why it has no value; NULL: it is whole */
  gint64 source_partition, source_offset, attempts; /* -1: not said */
  guint n_headers;                                  /* of the message's own: they come first */
} DeadLetter;

/* FALSE: it is no letter of ours; nothing but n_headers is known. */
gboolean dead_letter_read (const KafkaMessage *message, DeadLetter *letter);
/* The message as it was before it was buried, to be sent to where it came from: its time too, which
 * its run's T and id may be made of. */
KafkaMessage *dead_letter_original (const KafkaMessage *message, const DeadLetter *letter);
