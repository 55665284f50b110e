/* The position of a consumer group, seen from outside: its committed offsets, and the watermarks.
 *
 * Threads: any; the call blocks.
 */
#pragma once
#include "kafka/admin.h"

typedef struct {
  const char *topic; /* borrowed from the caller's KafkaTopic */
  gint32 partition;
  gint64 next;      /* the committed offset; -1: none yet */
  gint64 low, high; /* watermarks; -1: not known */
} KafkaOffset;

/* An array of KafkaOffset, one for every partition of TOPICS (as filled in by
 * kafka_admin_describe); g_array_unref it. GROUP is used unless SETTINGS have group.id; NULL:
 * committed offsets are not read, and no coordinator needs to answer. TIMEOUT_MS is for the whole
 * call. UNREAD: why the watermarks of the first unread partition are not known, NULL if all are;
 * g_free it. */
GArray *kafka_offsets (const char *const *settings, const char *group, const KafkaTopic *topics,
                       guint n, int timeout_ms, char **unread, GError **error);
