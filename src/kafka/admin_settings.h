/* Settings of topics that are there.
 *
 * Threads: as admin.h. Ownership: see the function.
 */
#pragma once
#include "kafka/admin.h"

/* Compares the settings of N TOPICS that are there with their `configs`, those apart that say how
 * long messages are kept; max.message.bytes may be more. WORDS[I]: what differs; NULL: nothing.
 * g_free each, also after an error. CHANGE: sets them as wanted, and keeps the topic's others.
 * PRUNED_REJECT: the broker does not say. PRUNED_DATA: it refuses the change. */
gboolean kafka_admin_settle (KafkaAdmin *admin, const KafkaNewTopic *topics, guint n,
                             gboolean change, char **words, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
