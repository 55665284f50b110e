/* What ticks, events and messages of applications' own topics have in common: which times are
 * accepted, and how a run is asked for.
 *
 * Threads: any. Ownership: specs are the caller's.
 */
#pragma once
#include "avro/message.h"
#include "engine/ledger/admit.h"

/* Why a message of that time is refused; NULL: it is not. g_free it. */
char *admit_time_refusal (const Admission *admission, gint64 scheduled_at_us);
/* The id of the run of JOB for which MESSAGE, one of the EVENT, asks. g_free it. */
char *admit_run_id (const KafkaMessage *message, const MessageDecoded *identity, const char *event,
                    const char *job);
/* Takes RUN_ID, ARGS and UNIQUE_KEY. The result is valid until the next one is added. */
RunSpec *admit_add (GArray *specs, const Job *job, char *run_id, gint64 scheduled_at_us,
                    json_t *args, char *unique_key);
