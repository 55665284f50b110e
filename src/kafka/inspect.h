/* Questions of an administrator: the retention of topics, the members of the group.
 *
 * Threads: any; each call blocks. Ownership: the caller frees results with g_ptr_array_unref or
 * g_free.
 */
#pragma once
#include "base/error.h"

/* How long TOPICS keep messages, the longest, in *RETENTION_MS; -1: for ever (also if one is
 * compacted only). PRUNED_REJECT: the broker does not answer that. */
gboolean kafka_longest_retention (const char *const *settings, const GPtrArray *topics,
                                  int timeout_ms, gint64 *retention_ms, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The client.id of a daemon is this, its version, `/` and its id, unless [kafka] sets another. */
#define KAFKA_MEMBER_OF "pruned-"

typedef struct {
  char *client_id, *host;
} KafkaMember;

/* The members of GROUP (or of group.id in SETTINGS), of KafkaMember. NULL: PRUNED_REJECT, the
 * broker does not answer that. */
GPtrArray *kafka_group_members (const char *const *settings, const char *group, int timeout_ms,
                                GError **error);
