/* The arguments of the run of an erasure: all that its jobs' keys name in the event. They are read
 * and looked at once, when the event comes; so it asks all of its jobs or none, and the run needs
 * the message no more.
 *
 * Threads: any, outside a transaction. Ownership: a new reference.
 */
#pragma once
#include "engine/job/sentence/own_event.h"
#include "engine/ledger/admit.h"

/* OWN is a message of the EVENT, which is ERASURE or withdraws it. The arguments: JOB_EVENT_KEY,
 * who is meant, and JOB_ERASURE_VALUES. NULL, PRUNED_REJECT: something is missing, or no value of a
 * column. */
json_t *admit_erasure (const Admission *admission, OwnEvent *own, const SentenceEvent *erasure,
                       const SentenceEvent *event, GError **error);
