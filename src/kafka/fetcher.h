/* Limits how much librdkafka fetches ahead, and keeps it fetching.
 *
 * librdkafka stops fetching a partition once its queue holds that many messages or bytes. It checks
 * again only when something wakes the broker's thread, after a second at the latest: a single busy
 * partition would get one queue's content per second. So the consumer of a queue reports here what
 * it takes, and each time half a queue has been taken the thread is woken, while the other half
 * keeps the lane busy.
 *
 * A wake does not end a fetch that is under way, and a fetch of idle partitions lasts
 * fetch.wait.max.ms. So that time is short; it is longer with many partitions, where a fetch costs
 * more (60 idle ones, every 60 ms: 0.4 % of a core; 300, every 360 ms: 0.3 %). A message that comes
 * ends the fetch at once.
 *
 * Threads: any. Ownership: the consumer owns it.
 */
#pragma once
#include "kafka/client.h"

typedef struct _Fetcher Fetcher;

/* How much was taken from one queue since the last wake. Only the consumer of that queue touches
 * it. */
typedef struct {
  guint messages;
  gsize bytes;
} FetcherCount;

/* The limits as librdkafka's settings: per partition, so that N_PARTITIONS together stay bounded.
 */
typedef struct {
  char messages[16], kbytes[16], fetch_bytes[16], wait_ms[16];
} FetcherLimits;
FetcherLimits fetcher_limits (guint n_partitions);

Fetcher *fetcher_new (rd_kafka_t *rk);
void fetcher_free (Fetcher *fetcher);
/* Makes the brokers' threads check again what to fetch. */
void fetcher_wake (Fetcher *fetcher);
/* Reports that MESSAGES with BYTES in all were taken. */
void fetcher_taken (Fetcher *fetcher, FetcherCount *count, guint messages, gsize bytes);
