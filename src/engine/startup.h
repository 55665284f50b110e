/* Checks before the daemon joins the consumer group: PostgreSQL, Kafka, topics and their
 * partitions.
 *
 * Threads: main, and one that asks PostgreSQL meanwhile.
 * Ownership: SERVICE owns what is made, the caller owns the embedded Kafka.
 */
#pragma once
#include "engine/service/service.h"

/* For config_each_kafka: appends key and value to DATA, a GPtrArray. */
void startup_add_setting (const char *key, const char *value, gpointer data);
/* Starts an embedded Kafka with all topics; SETTINGS gets its address. */
gboolean startup_embedded (Service *service, KafkaEmbedded **embedded, GPtrArray *settings,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Fills in cluster_id and the jobs' partitions. A missing topic is PRUNED_OUTAGE with the remedy,
 * but that of a job that is off a warning, as are fewer partitions than the job's capacity. Needs
 * kafka_settings, config, jobs. */
gboolean startup_topics (Service *service, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* PostgreSQL (schema and schedules) and Kafka (the producer, and startup_topics) are asked at the
 * same time, and the consumer looks for its coordinator meanwhile. If both fail, ERROR is
 * PostgreSQL's; *POSTGRES says whose error it is. */
gboolean startup_dependencies (Service *service, const KafkaHandlers *handlers, gboolean *postgres,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Notes how many partitions TOPIC has, for the job whose work it is. */
void startup_note_partitions (Service *service, const KafkaTopic *topic);
