/* How outcomes are written for their readers: `[outcomes] format`. The outbox has Avro with the
 * schema's fingerprint, whatever is set; it becomes another form when it is sent: JSON, or the
 * frame of a schema registry. Other messages, which this service reads itself, stay as they are.
 *
 * Threads: wire_begin: main, before others start; the rest: any; it can wait for the registry.
 * Ownership: as said.
 */
#pragma once
#include "config/config.h"
#include "kafka/message.h"

/* From here on outcomes are sent as CONFIG says (bundle_through); until then as Avro. While the
 * registry does not answer, or does not take a schema, they wait. PRUNED_FATAL: it names a
 * registry, and none is set. */
gboolean wire_begin (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The outcome MESSAGE as the outbox has it; new. NULL: it is not one that was written here. */
KafkaMessage *wire_read (const KafkaMessage *message);
/* STORED, an outcome as the outbox has it, in the form of LIKE; new. NULL: that cannot be done. */
KafkaMessage *wire_write_like (const KafkaMessage *stored, const KafkaMessage *like);
