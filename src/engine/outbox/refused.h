/* What becomes of messages that their topic has refused. One that is refused only because of others
 * beside it is sent again without them. Of an outcome that is too large alone the long texts are
 * cut, with an error line. What its topic takes not even with 100 bytes of each text, or refuses
 * for another reason than its size (INVALID_RECORD, POLICY_VIOLATION: a broker that checks what
 * records hold), goes to the dead topic: what it tells about has happened, and nothing waits for
 * it. A work message counts as sent: its run is found missing later, and then reports the reason
 * (missing.c). Others are the caller's to shorten (dead.c).
 *
 * What is no smaller than one that was too large alone is cut with it, without being tried. A topic
 * for which outcomes of less than 10,000 bytes are too large, and that takes none of the same
 * transaction, is as good as closed: they wait until it is as it should be. They wait as well if
 * the dead topic refuses a letter.
 *
 * Threads: any.
 */
#pragma once
#include "kafka/producer.h"

typedef struct {
  KafkaProducer *producer;
  const char *prefix; /* of topics */
  const char *job;    /* of the messages, as far as they do not say so; NULL: not known */
  int timeout_ms;
  const atomic_int *stop;
} Refused;

/* Sends those of MESSAGES that can be sent otherwise, or marks them. TRUE: at least one of them is
 * done. FALSE: none can be, for CAUSE; or ERROR, if Kafka is down, or this takes so long that the
 * caller is to call again (PRUNED_OUTAGE; what is done stays marked). */
gboolean refused_settle (const Refused *how, GPtrArray *messages, const GError *cause,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
