/* What Kafka's ACLs deny to the user of [kafka], found out without reading or changing anything.
 *
 * - Read of the group and of topics: an offset is committed of a partition that no topic has. The
 *   broker looks at both rights, and then finds no such partition.
 * - Write: a message is sent that asks for the acknowledgement of two replicas, which has not been
 *   allowed since Kafka 0.9. The broker looks at the right, and then refuses the message unread. A
 *   topic that can take a message comes first: unless it refuses this one for that reason, no other
 *   topic is sent one.
 * - DescribeConfigs: asked for.
 *
 * (librdkafka before 2.3 cannot ask for the authorized operations of a topic.)
 *
 * Threads: one; each call blocks. Ownership: the caller's.
 */
#pragma once
#include "base/error.h"

typedef enum { KAFKA_READ = 1, KAFKA_WRITE = 2, KAFKA_DESCRIBE_CONFIGS = 4 } KafkaRight;

typedef struct {
  const char *topic;
  guint wanted;    /* of KafkaRight */
  gboolean hidden; /* its metadata is denied, which is part of Read and Write: both are */
  guint denied;    /* found; of `wanted` */
} KafkaRights;

typedef struct {
  gboolean group_denied;   /* the group cannot be read: then Read of topics is not asked for */
  gboolean writes_unknown; /* the broker takes what others refuse, so Write was not asked for */
} KafkaRightsMore;

/* Fills in `denied` of N topics, and MORE. TRIAL: the topic that can take a message. FALSE: not all
 * can be found out, each kind within TIMEOUT_MS; what is denied is, for sure. PRUNED_REJECT. */
gboolean kafka_rights_ask (const char *const *settings, const char *group, const char *trial,
                           KafkaRights *rights, guint n, int timeout_ms, KafkaRightsMore *more,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
