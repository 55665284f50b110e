/* What only an administrator asks: how topics are kept, who is in the group.
 *
 * Threads: any; each call blocks. Ownership: g_ptr_array_unref or g_free what is returned.
 */
#pragma once
#include "base/error.h"

/* How long TOPIC keeps messages: *RETENTION_MS, -1: for ever (also where it is compacted and never
 * cut). PRUNED_REJECT: the broker does not say. */
gboolean kafka_topic_retention (const char *const *settings, const char *topic, int timeout_ms,
                                gint64 *retention_ms, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What the client.id of a daemon begins with, unless [kafka] sets one; its version follows. */
#define KAFKA_MEMBER_OF "pruned-"

/* `<client id> at <host>` of each member of GROUP (unless SETTINGS have group.id). NULL:
 * PRUNED_REJECT, the broker does not say. */
GPtrArray *kafka_group_members (const char *const *settings, const char *group, int timeout_ms,
                                GError **error);
