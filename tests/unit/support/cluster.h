/* What the unit tests of src/kafka share: librdkafka's mock cluster through src/kafka/embedded.c,
 * and a consumer whose lanes the test polls itself. Everything fails the test by an assertion,
 * after at most PATIENCE_US.
 *
 * Threads: the test's own. Ownership: what `_new`, `numbered`, `take` and `take_to` return is the
 * caller's.
 */
#pragma once
#include "kafka/kafka.h"

#include <stdatomic.h>

#define PATIENCE_US (30 * G_USEC_PER_SEC)

typedef struct {
  KafkaPartition *partition;
  char *topic;
  gint32 number;
  atomic_uint wakes;
  gboolean revoked, lost;
} Lane;

typedef struct {
  KafkaConsumer *consumer;
  GPtrArray *lanes; /* every Lane there was */
  guint ready;
  gint64 store_at_revoke; /* -1: nothing */
  gboolean stored_at_revoke;
} Member;

extern const KafkaHandlers handlers;

/* The frame of a test program. */
void cluster_begin (int *argc, char ***argv);
int cluster_run (void);

void settings_of (const char *settings[16]); /* of the embedded cluster */
void make_topic (const char *topic, gint32 partitions);

KafkaProducer *new_producer (void);
KafkaProducer *new_producer_for (const char *bootstrap);
GPtrArray *messages_new (void);
KafkaMessage *numbered (const char *topic, gint32 partition, guint n); /* its value is N */
void publish (KafkaProducer *producer, GPtrArray *messages);
void publish_numbers (KafkaProducer *producer, const char *topic, gint32 partition, guint from,
                      guint n);
/* MESSAGE (taken) fails with VERDICT, and WORDS are in what is said. */
void assert_publish_fails (KafkaProducer *producer, KafkaMessage *message, int timeout_ms,
                           const volatile gint *stop, PrunedVerdict verdict, const char *words);

Member *member_new (const char *group, const char *topic, const char *other_topic);
Member *member_of (const char *bootstrap, const char *group, const char *const *topics);
void member_free (Member *member);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Member, member_free)
/* One that all tests of a program read with: joining takes the mock cluster 3 s. */
Member *shared (void);
void poll_once (Member *member);
void poll_until_held (Member *member, guint wanted);
guint count_held (const Member *member); /* lanes that were not taken away */
Lane *lane_of (Member *member, const char *topic, gint32 number);
/* N messages; take_to: and then, if END is not -1, the end of the partition there. */
GPtrArray *take (Member *member, Lane *lane, guint n);
GPtrArray *take_to (Member *member, Lane *lane, guint n, gint64 end);
void assert_numbers (const GPtrArray *messages, guint from);
