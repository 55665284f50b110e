/* The keys that messages of applications' own topics name. They are asked of the database
 * (own_keys.h), for a whole batch of messages together.
 *
 * Threads: any, outside a transaction. Ownership: messages are borrowed.
 */
#pragma once
#include "avro/message.h"
#include "engine/ledger/admit.h"

/* Whether a job reads events of TOPIC. */
gboolean admit_own_takes (const Admission *admission, const char *topic);
/* As admit_prepare, without asking. */
gboolean admit_own_prepare (const Admission *admission, const KafkaMessage *message, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Borrows MESSAGE. */
MessageSource admit_own_source (const KafkaMessage *message);
/* What is wrong with a message itself is a refusal; anything else stops all. */
gboolean admit_own_is_refusal (GError *cause, GError **error) G_GNUC_WARN_UNUSED_RESULT;
