/* Messages that can never be handled go to `<prefix>.dead`, and are logged and counted.
 *
 * Threads: any.
 */
#pragma once
#include "engine/outbox/dead_letter.h"
#include "engine/service/service.h"

/* Sends LETTERS and waits for the acknowledgements. A letter that is too large for the topic is
 * sent without its value, and a header reports that; the original stays in its topic. */
gboolean dead_letters_send (Service *service, GPtrArray *letters, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Logs and counts it. Call it after Kafka has acknowledged the letter. */
void dead_letter_log (const KafkaMessage *message, const char *reason);

/* Sends MESSAGE to the dead topic, waits for the acknowledgement, and logs it. */
gboolean dead_letter_bury (Service *service, const KafkaMessage *message, const char *reason,
                           int attempts, GError **error) G_GNUC_WARN_UNUSED_RESULT;
