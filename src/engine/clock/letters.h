/* How many dead letters wait for a verdict, for the metrics; counted every few seconds.
 *
 * Threads: letters_look: housekeeping; the others: any. Ownership: of rows: the caller's.
 */
#pragma once
#include "engine/service/service.h"

/* Dead letters without a verdict, as last counted; -1: not known. */
gint64 letters_waiting (void);
/* Counts the verdicts on messages that Kafka still has, in the first N partitions of TOPIC. */
PgRows *letters_decided (Pg *pg, const char *topic, const KafkaEdges *edges, guint n,
                         GError **error);
/* At first whether the dead topic was made anew. Waits for Kafka for at most half a second; without
 * an answer the number is unknown until the next count.
 */
gboolean letters_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
