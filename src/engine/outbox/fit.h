/* Outcomes that are made to fit into their topic: a text of an application's column, or of its
 * trigger, can be longer than any topic takes.
 *
 * Threads: any. Ownership: the copy is the caller's.
 */
#pragma once
#include "base/json.h"
#include "kafka/message.h"

/* A copy of the outcome MESSAGE whose texts, also those in its JSON, and whose key have at most
 * MOST bytes: the first ones, and how many are missing. NULL: no text is longer, or it is no
 * outcome.
 */
KafkaMessage *fit_cut (const KafkaMessage *message, gsize most);
/* What the log says of it: run, record, key, topic, bytes. JOB: of its transaction, unless the
 * record names its own. New reference. */
json_t *fit_about (const KafkaMessage *message, const char *job);
