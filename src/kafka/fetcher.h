/* How much librdkafka fetches ahead, and that it goes on fetching.
 *
 * librdkafka leaves a partition out of its fetches once that many messages or bytes wait in its
 * queue, and looks again only when something else wakes the broker's thread, after a second at the
 * latest: a lone busy partition would get one queue's worth a second. So whoever takes from a queue
 * reports it here, and the thread is woken each time half a queue has been taken, while the other
 * half keeps the lane busy.
 *
 * A wake does not end a fetch that is under way, and one that asks idle partitions only lasts
 * fetch.wait.max.ms. That is short, therefore; longer with many partitions, where a fetch costs
 * more (60 idle ones, every 60 ms: 0.4 % of a core).
 *
 * Threads: any. Ownership: of the consumer.
 */
#pragma once
#include "kafka/client.h"

typedef struct _Fetcher Fetcher;

/* What was taken from one queue since the last wake; belongs to that queue's taker. */
typedef struct {
  guint messages;
  gsize bytes;
} FetcherCount;

/* As librdkafka's settings: per partition, such that N_PARTITIONS together hold a bounded amount.
 */
typedef struct {
  char messages[16], kbytes[16], fetch_bytes[16], wait_ms[16];
} FetcherLimits;
FetcherLimits fetcher_limits (guint n_partitions);

Fetcher *fetcher_new (rd_kafka_t *rk);
void fetcher_free (Fetcher *fetcher);
/* Has the brokers' threads look again at what to fetch. */
void fetcher_wake (Fetcher *fetcher);
/* MESSAGES and BYTES more were taken. */
void fetcher_taken (Fetcher *fetcher, FetcherCount *count, guint messages, gsize bytes);
