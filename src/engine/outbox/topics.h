/* The topics that the service works with (docs/messages.md), with how many partitions and which
 * settings they are made.
 *
 * Threads: any. Ownership: an array of WantedTopic, g_array_unref it.
 */
#pragma once
#include "engine/job/job.h"
#include "kafka/admin.h"

typedef struct {
  char *name;
  gint32 partitions;           /* at least */
  const char *const *settings; /* pairs; static */
  gboolean optional;           /* all goes on without it; these are the last */
} WantedTopic;

GArray *topics_wanted (const Config *config, const Jobs *jobs);
/* How many of them are not optional. */
guint topics_needed (const GArray *wanted);

/* The WANTED topics as they are; names belong to WANTED, g_free the array. NULL: as
 * kafka_admin_describe says, of those that are needed. */
KafkaTopic *topics_found (KafkaAdmin *admin, const GArray *wanted, int timeout_ms, GError **error);
/* The same, as kafka_admin_look says. */
KafkaTopic *topics_looked_at (KafkaAdmin *admin, const GArray *wanted, int timeout_ms,
                              GError **error);
