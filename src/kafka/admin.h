/* Topics: which are there, make, grow. Never auto-creates.
 *
 * Threads: one at a time; each call blocks.
 */
#pragma once
#include "base/error.h"

typedef struct {
  char *name;
  gint32 partitions;   /* -1: topic is not there */
  const char *trouble; /* why it cannot be told whether it is there, or cannot be read; NULL:
                          nothing amiss */
} KafkaTopic;

typedef struct {
  const char *name;
  gint32 partitions;
  const char *const *configs; /* pairs name, value, NULL-terminated; NULL: none */
} KafkaNewTopic;

typedef struct _KafkaAdmin KafkaAdmin;

KafkaAdmin *kafka_admin_new (const char *const *settings, GError **error);
void kafka_admin_free (KafkaAdmin *admin);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KafkaAdmin, kafka_admin_free)

/* Fills in N topics; waits, within the time, for trouble that passes: a topic that was just made
 * has no leader for a moment. PRUNED_OUTAGE with the bootstrap servers in the words: no broker
 * answers. */
gboolean kafka_admin_look (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, but also fails if of one it cannot be told whether it is there. */
gboolean kafka_admin_describe (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Makes N topics at once and waits until they show; one that is there already is not an error.
 * Replication: the broker's default. PRUNED_REJECT: the broker refuses one. */
gboolean kafka_admin_create (KafkaAdmin *admin, const KafkaNewTopic *topics, guint n,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds partitions up to PARTITIONS in all. PRUNED_REJECT: the broker refuses it. */
gboolean kafka_admin_grow (KafkaAdmin *admin, const char *topic, gint32 partitions, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Removes a topic with what is in it. */
gboolean kafka_admin_remove (KafkaAdmin *admin, const char *topic, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
char *kafka_admin_cluster_id (KafkaAdmin *admin, int timeout_ms, GError **error); /* g_free */
