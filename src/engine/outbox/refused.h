/* What becomes of messages that their topic has refused, as too large. One that is refused only
 * because of others beside it is sent again without them. Of an outcome that is refused alone the
 * long texts are cut, with an error line, so that nothing waits for it: what it tells about has
 * happened. A work message counts as sent: its run is found missing later, and then reports the
 * reason (missing.c). Others are the caller's to shorten (dead.c).
 *
 * What is no smaller than one that was refused alone is cut with it, without being tried. An
 * outcome whose topic takes it not even with 100 bytes of each text, or refuses it for another
 * reason than its size (INVALID_RECORD, as of a topic whose records must have keys), is not sent:
 * the lane waits until the topic is as it should be, and nothing is lost.
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
