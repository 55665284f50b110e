/* What all clients of this folder share: settings to a configuration, librdkafka's errors to
 * verdicts, its log to ours. The one header that includes librdkafka's.
 *
 * Threads: any.
 */
#pragma once
#include "kafka/message.h"
#include <librdkafka/rdkafka.h>
#include <pthread.h>

/* What librdkafka is told. WANTED yields to the user's settings, FIXED does not: a setting that
 * differs from it is PRUNED_FATAL. All are pairs, NULL-terminated; WANTED and FIXED may be NULL. */
rd_kafka_conf_t *kafka_conf_new (const char *const *settings, const char *const *wanted,
                                 const char *const *fixed, GError **error);
/* The value of NAME in pairs, the last one counts; NULL: not set. */
const char *kafka_setting (const char *const *settings, const char *name);
gboolean kafka_setting_known (const char *name); /* as kafka.h says */
/* "Kafka at <bootstrap servers>", for the beginning of an error. g_free it. */
char *kafka_where (rd_kafka_t *rk);

/* Takes CONF, whatever happens. */
rd_kafka_t *kafka_client_new (rd_kafka_type_t type, rd_kafka_conf_t *conf, GError **error);

PrunedVerdict kafka_verdict (rd_kafka_resp_err_t err);
/* `<the formatted words>: <librdkafka's words>`, with the verdict of ERR. */
void kafka_set_error (GError **error, rd_kafka_resp_err_t err, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* TRUE if RK is beyond repair; then ERROR says why. */
gboolean kafka_is_fatal (rd_kafka_t *rk, GError **error);

/* The first offset whose timestamp is TIMESTAMP_MS or later; RD_KAFKA_OFFSET_BEGINNING and _END:
 * where the log begins and ends. */
rd_kafka_resp_err_t kafka_offset_at (rd_kafka_t *rk, const char *topic, gint32 partition,
                                     gint64 timestamp_ms, int timeout_ms, gint64 *offset);
/* What the broker keeps of a partition: [LOW, HIGH); LOW may be NULL. Not by
 * rd_kafka_query_watermark_offsets: before librdkafka 2.3 it waits without end for a broker that is
 * gone, though another may lead the partition by now (its issue 2588). A leader that is missing for
 * a moment is waited for until DEADLINE_US (clock_monotonic_us). */
rd_kafka_resp_err_t kafka_watermarks (rd_kafka_t *rk, const char *topic, gint32 partition,
                                      gint64 deadline_us, gint64 *low, gint64 *high);

/* A received message as one block. */
KafkaMessage *kafka_message_from (const rd_kafka_message_t *raw);
/* Headers as librdkafka wants them, or NULL. */
rd_kafka_headers_t *kafka_message_raw_headers (const KafkaMessage *message);

/* A condition variable on the monotonic clock. */
void kafka_cond_init (pthread_cond_t *cond);
/* Until DEADLINE_US (clock_monotonic_us); FALSE: time over. */
gboolean kafka_cond_wait (pthread_cond_t *cond, pthread_mutex_t *mutex, gint64 deadline_us);
