/* Batches that cannot be unpacked: they are damaged, or come to more than unpack.h allows.
 * librdkafka reports the first offset of such a batch, again and again, and reads nothing behind
 * it.
 *
 * Where it ends is in its header, which librdkafka does not show. But it reports the same first
 * offset wherever in the batch a read begins. So the end is looked for by reads at other offsets:
 * all that report this first offset lie in the batch, and none behind it does. Nothing of another
 * batch is taken for part of it.
 *
 * Threads: any; the call blocks, usually for a second, at most for the time of some fifty fetches.
 */
#pragma once
#include "kafka/reader.h"

/* The batch in PARTITION of TOPIC that begins at FIRST cannot be unpacked. OUT: its offsets, as far
 * as the log has them; empty (from = to): it can be, or there is none. PRUNED_OUTAGE: Kafka does
 * not answer, or there is too little memory for now to tell. */
gboolean kafka_unread_batch (const char *const *settings, const char *topic, gint32 partition,
                             gint64 first, KafkaStretch *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
