/* Whether the consumer's brokers and topics are there. librdkafka tells when something breaks, not
 * when it works again, nor always that all brokers are gone; so what it complained of is looked at,
 * once a second.
 *
 * Threads: poll, but watch_suspect and watch_breaks: any. Ownership: of the consumer.
 */
#pragma once
#include "kafka/client.h"
#include "kafka/trouble.h"

typedef struct _Watch Watch;

Watch *watch_new (rd_kafka_t *rk, Trouble *trouble);
void watch_free (Watch *watch);

/* A connection failed. */
void watch_suspect (Watch *watch, const char *reason);
/* How often that was said: another broker may lead since. Thread: any. */
guint watch_breaks (Watch *watch);
/* What came through the consumer's own queue is about the group or a topic. FALSE: a message of a
 * partition, which has no business there. */
gboolean watch_event (Watch *watch, const rd_kafka_message_t *raw);
/* The group let us in, or (REASON) put us out. */
void watch_group (Watch *watch, const char *reason);
/* Looks again if it is time; blocks for a moment then. */
void watch_look (Watch *watch);
