/* Watches the consumer's brokers and topics. librdkafka reports when something breaks, but not when
 * it works again, and not always that all brokers are gone. So whatever it complained of is checked
 * once a second.
 *
 * Threads: poll; watch_suspect and watch_breaks: any. Ownership: the consumer owns it.
 */
#pragma once
#include "kafka/client.h"
#include "kafka/trouble.h"

typedef struct _Watch Watch;

Watch *watch_new (rd_kafka_t *rk, Trouble *trouble);
void watch_free (Watch *watch);

/* Reports that a connection failed. */
void watch_suspect (Watch *watch, const char *reason);
/* How often a connection has failed: after a failure another broker can be the leader. Thread:
 * any. */
guint watch_breaks (Watch *watch);
/* TOPIC need not be there: then it is no trouble. */
void watch_optional (Watch *watch, const char *topic);
/* Takes an event from the consumer's own queue: an error of the group or of a topic. FALSE: RAW is
 * a message of a partition, which must not arrive there. */
gboolean watch_event (Watch *watch, const rd_kafka_message_t *raw);
/* Reports that this process has joined the group, or (REASON) has been removed from it. */
void watch_group (Watch *watch, const char *reason);
/* Checks again if it is time; then it blocks for a moment. */
void watch_look (Watch *watch);
