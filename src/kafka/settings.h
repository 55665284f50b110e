/* The settings of [kafka], as far as librdkafka knows them: pairs of name and value (kafka.h).
 *
 * Threads: any. Ownership: of the arguments: none.
 */
#pragma once
#include "base/error.h"

/* Checks that librdkafka knows all names and accepts all values. PRUNED_FATAL. */
gboolean kafka_settings_check (const char *const *settings, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The value of NAME in SETTINGS (pairs; the last one counts); NULL: not set. */
const char *kafka_setting (const char *const *settings, const char *name);

/* Whether librdkafka has a setting of this name. */
gboolean kafka_setting_known (const char *name);
