/* Where a group stands, seen from outside: what it has committed, and what the log holds.
 *
 * Threads: any; the call blocks.
 */
#pragma once
#include "kafka/admin.h"

typedef struct {
  const char *topic; /* of the caller's KafkaTopic */
  gint32 partition;
  gint64 next;      /* committed; -1: nothing yet */
  gint64 low, high; /* of the log; -1: not known */
} KafkaOffset;

/* Of every partition of TOPICS as kafka_admin_describe has filled them in. GROUP counts unless
 * settings have group.id; NULL: what it has committed is not asked, and needs no coordinator to
 * answer. An array of KafkaOffset; g_array_unref it. TIMEOUT_MS is for the whole. UNREAD: why the
 * log of some partition is not known (the first one's reason), NULL if all are; g_free it. */
GArray *kafka_offsets (const char *const *settings, const char *group, const KafkaTopic *topics,
                       guint n, int timeout_ms, char **unread, GError **error);
