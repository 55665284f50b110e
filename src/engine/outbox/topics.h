/* The topics of the service (docs/messages.md), with the number of partitions and the settings for
 * making them.
 *
 * Threads: any. Ownership: an array of WantedTopic; g_array_unref it.
 */
#pragma once
#include "engine/job/job.h"
#include "kafka/admin.h"

typedef struct {
  char *name;
  gint32 partitions;           /* at least */
  const char *const *settings; /* pairs; static, or: */
  gboolean optional;           /* the service works without it; optional topics are the last */
  char **own;                  /* what `settings` is; NULL: static */
} WantedTopic;

GArray *topics_wanted (const Config *config, const Jobs *jobs);
/* How long the ledger of erasures keeps entries, in ms: as the job that remembers longest says; 0:
 * none does. */
gint64 topics_remember_ms (const Jobs *jobs);
/* How many of them are not optional. */
guint topics_needed (const GArray *wanted);

/* The WANTED topics as Kafka has them. Names belong to WANTED; g_free the array. NULL: an error of
 * kafka_admin_describe about the topics that are not optional. */
KafkaTopic *topics_found (KafkaAdmin *admin, const GArray *wanted, int timeout_ms, GError **error);
/* The same with kafka_admin_look for all of them. */
KafkaTopic *topics_looked_at (KafkaAdmin *admin, const GArray *wanted, int timeout_ms,
                              GError **error);

/* Creates those that FOUND lacks of the WANTED topics FROM to UNTIL - 1. Errors as
 * kafka_admin_create. */
gboolean topics_create (KafkaAdmin *admin, const GArray *wanted, const KafkaTopic *found,
                        guint from, guint until, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* For each of the WANTED topics, what differs between its settings and those that it is made with;
 * NULL: nothing, or FOUND lacks it. CHANGE: sets them. Errors as kafka_admin_settle. */
GPtrArray *topics_settings (KafkaAdmin *admin, const GArray *wanted, const KafkaTopic *found,
                            gboolean change, GError **error);
