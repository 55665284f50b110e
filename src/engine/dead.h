/* Messages that can never be handled go to `<prefix>.dead` as they came, with the reason beside (DESIGN 4).
 * Threads: any. Ownership: the copy is the caller's.
 */
#pragma once
#include "engine/service.h"

/* A copy of MESSAGE for the dead topic of PREFIX. ATTEMPTS: how often it was tried. */
KafkaMessage *dead_letter (const char *prefix, const KafkaMessage *message, const char *reason, int attempts);

/* Sends LETTERS and waits until Kafka has them. One that is too large for the topic goes without its value, and says so: the original stays
 * where it came from. */
gboolean dead_letters_send (Service *service, GPtrArray *letters, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The line about it, and the counter; after Kafka has acknowledged it. */
void dead_letter_log (const KafkaMessage *message, const char *reason);
