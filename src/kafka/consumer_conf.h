/* The settings of the consumer of ticks, events and work: ours, and those of [kafka] above them.
 *
 * Threads: any. Ownership: of the arguments: none.
 */
#pragma once
#include "kafka/client.h"

/* For N_PARTITIONS at most (fetcher.h). GROUP is the consumer group unless SETTINGS have group.id.
 * NULL: PRUNED_FATAL. rd_kafka_conf_destroy it, or give it to a client. */
rd_kafka_conf_t *consumer_conf_new (const char *const *settings, const char *group,
                                    guint n_partitions, GError **error) G_GNUC_WARN_UNUSED_RESULT;
