/* librdkafka behind a few verbs: a producer that waits for acknowledgements by batch (producer.h),
 * a consumer whose assigned partitions are mailboxes (consumer.h, partition.h), reads without a
 * group (reader.h), topics (admin.h), the embedded cluster (embedded.h).
 *
 * Settings are pairs of librdkafka's names and values in one array (name, value, name, value,
 * NULL), as written by the user in [kafka]. What the engine wants is added unless the user has set
 * it; what it cannot do without is refused when set otherwise (PRUNED_FATAL), and so is a name
 * librdkafka does not know. Lines of librdkafka go to base/log: warnings and worse rate-limited,
 * the rest at debug.
 *
 * Errors: PRUNED_OUTAGE unless said otherwise; PRUNED_FATAL when librdkafka says that the client is
 * beyond repair (fenced).
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

/* Whether librdkafka knows all names and takes all values. PRUNED_FATAL. */
gboolean kafka_settings_check (const char *const *settings, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Whether librdkafka has a setting of this name. */
gboolean kafka_setting_known (const char *name);
