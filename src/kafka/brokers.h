/* Whether a broker can be reached, as a producer sees it. librdkafka does not always report that
 * all brokers are gone, nor that one is back while nothing is sent. So metadata is asked for once
 * something has failed, until a broker answers.
 *
 * Threads: any, but for brokers_look.
 */
#pragma once
#include "kafka/client.h"

typedef struct _Brokers Brokers;

Brokers *brokers_new (void);
void brokers_free (Brokers *brokers);
/* librdkafka has reported ERR: a connection was lost, or all are down. */
void brokers_failed (Brokers *brokers, rd_kafka_resp_err_t err, const char *reason);
/* A message was not acknowledged in time. */
void brokers_suspect (Brokers *brokers);
/* A message was acknowledged. */
void brokers_answered (Brokers *brokers);
/* Asks for metadata if a broker may be down. Blocks for TIMEOUT_MS at most. Thread: the one that
 * polls RK. */
void brokers_look (Brokers *brokers, rd_kafka_t *rk, int timeout_ms);
gboolean brokers_are_up (Brokers *brokers);
/* librdkafka's last reason; NULL: they are up. g_free it. */
char *brokers_why_down (Brokers *brokers);
