/* Messages of applications' own topics: which of the events of a job they are (own_event.h), and
 * which runs these start. A message that no event fits asks for none.
 *
 * Their keys are asked of the database (own_keys.h).
 *
 * Threads: any, outside a transaction. Ownership: specs are the caller's.
 */
#pragma once
#include "avro/message.h"
#include "engine/ledger/admit.h"

/* Whether a job reads events of TOPIC. */
gboolean admit_own_takes (const Admission *admission, const char *topic);
/* As admit_prepare, without asking. */
gboolean admit_own_prepare (const Admission *admission, const KafkaMessage *message, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* As admit_message. */
gboolean admit_own (const Admission *admission, const KafkaMessage *message, GArray *specs,
                    Admitted *out, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* --- of admit.c --- */

/* Why a message of that time is refused; NULL: it is not. g_free it. */
char *admit_time_refusal (const Admission *admission, gint64 scheduled_at_us);
/* Takes RUN_ID, ARGS and UNIQUE_KEY. The result is valid until the next one is added. */
RunSpec *admit_add (GArray *specs, const Job *job, char *run_id, gint64 scheduled_at_us,
                    json_t *args, char *unique_key);

/* --- of admit_own.c and admit_own_keys.c --- */

/* Borrows MESSAGE. */
MessageSource admit_own_source (const KafkaMessage *message);
/* What is wrong with a message itself is a refusal; anything else stops all. */
gboolean admit_own_is_refusal (GError *cause, GError **error) G_GNUC_WARN_UNUSED_RESULT;
