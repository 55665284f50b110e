/* Messages of applications' own topics: which of the events of a job they are (own_event.h), and
 * which runs these start. A message that no event fits asks for none.
 *
 * Threads: any, outside a transaction. Ownership: specs are the caller's.
 */
#pragma once
#include "engine/ledger/admit.h"

/* As admit_message. */
gboolean admit_own (const Admission *admission, const KafkaMessage *message, GArray *specs,
                    Admitted *out, GError **error) G_GNUC_WARN_UNUSED_RESULT;
