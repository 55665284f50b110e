/* What happens before the daemon joins: PostgreSQL, Kafka, its topics and their partitions; and
 * right after, the indexes that cursors want. Threads: main, and one that asks PostgreSQL
 * meanwhile. Ownership: what is made belongs to SERVICE, the embedded Kafka to the caller.
 */
#pragma once
#include "engine/service/service.h"

/* For config_each_kafka: appends key and value to DATA, a GPtrArray. */
void startup_add_setting (const char *key, const char *value, gpointer data);
/* A Kafka of our own with all topics; SETTINGS gets its address. */
gboolean startup_embedded (Service *service, KafkaEmbedded **embedded, GPtrArray *settings,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Fills in cluster_id and the jobs' partitions. A topic that is missing: PRUNED_OUTAGE with the
 * remedy; fewer partitions than the job's capacity: a warning. Wants kafka_settings, config, jobs.
 */
gboolean startup_topics (Service *service, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* PostgreSQL (schema and schedules) and Kafka (the producer, and startup_topics) are asked at the
 * same time, and the consumer looks for its coordinator meanwhile. If neither is well, PostgreSQL's
 * error is told: POSTGRES says whose it is. */
gboolean startup_dependencies (Service *service, const KafkaHandlers *handlers, gboolean *postgres,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Afterwards: the publisher; the consumer joins the group. */
gboolean startup_join (Service *service, GError **error) G_GNUC_WARN_UNUSED_RESULT;
