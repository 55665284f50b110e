/* The last messages of a topic.
 *
 * Threads: the main thread. Ownership: of messages: Kafka's, while VISIT runs.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/reader.h"

/* Passes the last WANTED messages of the topic NAME to VISIT, of each partition equally many as far
 * as it has so many. VISIT returns FALSE to stop. PRUNED_OUTAGE: there is no such topic, or Kafka
 * does not answer. */
gboolean sample_read (Cli *cli, const char *name, gint64 wanted, KafkaVisit visit, gpointer data,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
