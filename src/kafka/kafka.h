/* A small interface to librdkafka: a producer that waits for acknowledgements by batch
 * (producer.h), a consumer whose assigned partitions are mailboxes (consumer.h, partition.h), reads
 * without a consumer group (reader.h), topics (admin.h), the embedded cluster (embedded.h).
 *
 * Settings are pairs of librdkafka's names and values in one array (name, value, name, value,
 * NULL), as written by the user in [kafka]. The engine's preferred values are added unless the user
 * has set them. PRUNED_FATAL: the user has changed a value that the engine requires, or librdkafka
 * does not know a name. librdkafka's log goes to base/log: warnings and errors rate-limited, the
 * rest at debug.
 *
 * Errors: PRUNED_OUTAGE unless stated otherwise; PRUNED_FATAL when librdkafka reports a fatal error
 * of the client (fenced).
 *
 * Threads: each header says. Ownership: of settings: none is taken.
 */
#pragma once
#include "kafka/admin.h"
#include "kafka/consumer.h"
#include "kafka/embedded.h"
#include "kafka/library.h"
#include "kafka/message.h"
#include "kafka/partition.h"
#include "kafka/producer.h"
#include "kafka/reader.h"
#include "kafka/settings.h"
