/* What the consumer group has not read yet, for `pruned status`: of the topics of pruned, and of
 * those of applications that events come from.
 *
 * Threads: main only. Ownership: names of topics are borrowed from StatusTopics and its caller.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/offsets.h"

typedef struct {
  GArray *all;        /* of KafkaTopic: those that are there */
  GPtrArray *own;     /* of char: of applications */
  GPtrArray *unknown; /* of these, those that are not there, or do not answer */
} StatusTopics;

/* FOUND (N): those of pruned. Asks Kafka for the others. */
StatusTopics *status_topics (Cli *cli, KafkaAdmin *admin, const KafkaTopic *found, guint n);
void status_topics_free (StatusTopics *topics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StatusTopics, status_topics_free)

/* Sets `lanes` and `lag` of FOUND by OFFSETS of TOPICS. PG: NULL: it is down. */
void status_take_lag (Cli *cli, Pg *pg, const StatusTopics *topics, const GArray *offsets,
                      json_t *found);
