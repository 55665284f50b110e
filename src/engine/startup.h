/* What is looked at before the daemon joins: topics and their partitions, the indexes that cursors want.
 * Threads: main. Ownership: as said.
 */
#pragma once
#include "engine/service.h"

/* Ticks, events and the work topics of all jobs: NULL-terminated array of texts. g_ptr_array_unref it. */
GPtrArray *startup_subscription (const Service *service);
/* Fills in cluster_id and the jobs' partitions. A topic that is missing: PRUNED_OUTAGE with the remedy; fewer partitions than the
 * job's capacity: a warning. */
gboolean startup_topics (Service *service, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean startup_embedded_topics (const Service *service, KafkaEmbedded *embedded, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A warning for each index that a cursor wants and does not have. */
gboolean startup_indexes (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
