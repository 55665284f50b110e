/* Topics: look them up, create them, add partitions. Never creates one automatically.
 *
 * Threads: one thread at a time; each call blocks.
 */
#pragma once
#include "base/error.h"

typedef struct {
  char *name;
  gint32 partitions;   /* -1: the topic does not exist */
  const char *trouble; /* why the topic cannot be checked, or cannot be read; NULL: no error */
  gboolean denied;     /* set with `trouble`: this user has no right that lets it be seen */
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

/* Fills in N topics. Waits up to TIMEOUT_MS for errors that pass: a topic that was just created has
 * no leader for a moment. PRUNED_OUTAGE: no broker answers; the text names the bootstrap
 * servers. */
gboolean kafka_admin_look (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, but does not wait for leaders, and fails if it cannot tell whether a topic exists. */
gboolean kafka_admin_describe (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Creates N topics at once and waits until they are visible; one that exists already is not an
 * error. Replication: the broker's default. PRUNED_REJECT: the broker refuses one. PRUNED_OUTAGE:
 * no answer, or the broker did not manage it in time. */
gboolean kafka_admin_create (KafkaAdmin *admin, const KafkaNewTopic *topics, guint n,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds partitions until the topic has PARTITIONS. Errors as above. */
gboolean kafka_admin_grow (KafkaAdmin *admin, const char *topic, gint32 partitions, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Deletes a topic and its messages. */
gboolean kafka_admin_remove (KafkaAdmin *admin, const char *topic, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
char *kafka_admin_cluster_id (KafkaAdmin *admin, int timeout_ms, GError **error); /* g_free */
