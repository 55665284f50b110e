/* Shared by all clients of this folder: turns settings into a configuration, librdkafka's errors
 * into verdicts, its log into ours. The only header that includes librdkafka's.
 *
 * Threads: any.
 */
#pragma once
#include "kafka/message.h"
#include "kafka/settings.h"
#include <librdkafka/rdkafka.h>
#include <pthread.h>

/* A configuration for librdkafka. SETTINGS override WANTED, but not FIXED: a setting that differs
 * from FIXED is PRUNED_FATAL. All are pairs, NULL-terminated; WANTED and FIXED can be NULL. */
rd_kafka_conf_t *kafka_conf_new (const char *const *settings, const char *const *wanted,
                                 const char *const *fixed, GError **error);
/* "Kafka at <bootstrap servers>", to begin an error text with. g_free it. */
char *kafka_where (rd_kafka_t *rk);

/* Takes CONF, also on failure. */
rd_kafka_t *kafka_client_new (rd_kafka_type_t type, rd_kafka_conf_t *conf, GError **error);

PrunedVerdict kafka_verdict (rd_kafka_resp_err_t err);
/* Sets ERROR to `<formatted text>: <librdkafka's text>`, with the verdict of ERR. */
void kafka_set_error (GError **error, rd_kafka_resp_err_t err, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* TRUE: RK has failed fatally (for example it was fenced); ERROR says why. */
gboolean kafka_is_fatal (rd_kafka_t *rk, GError **error);

/* The first offset with a timestamp of TIMESTAMP_MS or later. For RD_KAFKA_OFFSET_BEGINNING and
 * _END as TIMESTAMP_MS: the begin and end of the log. */
rd_kafka_resp_err_t kafka_offset_at (rd_kafka_t *rk, const char *topic, gint32 partition,
                                     gint64 timestamp_ms, int timeout_ms, gint64 *offset);
/* The watermarks of a partition; LOW can be NULL. Does not use rd_kafka_query_watermark_offsets:
 * before librdkafka 2.3 it waits for ever for a broker that is gone, even if another one leads the
 * partition (its issue 2588). Waits for a missing leader until DEADLINE_US (clock_monotonic_us). */
rd_kafka_resp_err_t kafka_watermarks (rd_kafka_t *rk, const char *topic, gint32 partition,
                                      gint64 deadline_us, gint64 *low, gint64 *high);
