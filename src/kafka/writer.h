/* One producer of librdkafka, with its topics. A KafkaProducer has one at a time: librdkafka's
 * fatal errors are the end of a writer, not of the KafkaProducer.
 *
 * Threads: any. Ownership: reference-counted.
 */
#pragma once
#include "kafka/client.h"

typedef struct _Writer Writer;

/* SETTINGS (pairs, NULL-terminated) with what every producer needs. The caller adds callbacks. */
rd_kafka_conf_t *writer_conf_new (const char *const *settings, GError **error);
/* Whether SETTINGS suit a producer. */
gboolean writer_check (const char *const *settings, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* CONF is copied. */
Writer *writer_new (const rd_kafka_conf_t *conf, GError **error);
Writer *writer_ref (Writer *writer);
/* The last one waits for librdkafka's threads. Not within a callback of librdkafka. */
void writer_unref (Writer *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Writer, writer_unref)

rd_kafka_t *writer_rk (Writer *writer);
/* A topic's handle, which the writer owns; NULL: librdkafka refuses the name. */
rd_kafka_topic_t *writer_topic (Writer *writer, const char *name);
/* Ends the rd_kafka_poll that another thread is in. */
void writer_wake (Writer *writer);
/* Waits up to FLUSH_MS for the messages in flight and reports the rest as purged. After that no
 * report of this writer comes. */
void writer_drain (Writer *writer, int flush_ms);
