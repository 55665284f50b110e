#include "kafka/fetcher.h"

/* Limits for all partitions together. A queued message costs about 350 bytes beside its own size,
 * and a partition just below its limit receives one more fetch: 60 full partitions of 600-byte
 * messages take 26 MB. */
#define ALL_KBYTES 12288
#define ALL_MESSAGES 10000
#define ALL_FETCH_KBYTES 4096
#define LEAST_FETCH_KBYTES 64 /* at least a batch of our own producer */
#define MOST_MESSAGES 2000

/* While a fetch of the idle partitions is under way, nothing comes for a busy one. Its queue must
 * last as long: so many messages of one partition are handled in a millisecond. */
#define HANDLED_IN_MS 17

/* librdkafka looks for the topic of each partition of an answer in a list of all topics: where each
 * has its own, a fetch of 300 idle partitions takes 0.7 ms. */
#define SQUARE 250
#define LONGEST_MS 500

struct _Fetcher {
  rd_kafka_t *rk;
  guint messages; /* half of a queue's limit */
  gsize bytes;
  char *username, *password; /* as configured */
};

static void
print (char out[16], guint number)
{
  g_snprintf (out, 16, "%u", number);
}

FetcherLimits
fetcher_limits (guint n_partitions)
{
  guint n = MAX (n_partitions, 1);
  FetcherLimits limits;
  guint wait_ms = MIN (MAX (CLAMP (n * 5 / 6, 10, 60), n * n / SQUARE), LONGEST_MS);
  print (limits.messages,
         CLAMP (ALL_MESSAGES / n, MIN (wait_ms * HANDLED_IN_MS, MOST_MESSAGES), MOST_MESSAGES));
  print (limits.kbytes, CLAMP (ALL_KBYTES / n, 64, 1024));
  print (limits.fetch_bytes, CLAMP (ALL_FETCH_KBYTES / n, LEAST_FETCH_KBYTES, 1024) * 1024);
  print (limits.wait_ms, wait_ms);
  return limits;
}

static char *
configured (rd_kafka_t *rk, const char *name)
{
  char value[512] = "";
  gsize size = sizeof value;
  if (rd_kafka_conf_get (rd_kafka_conf (rk), name, value, &size) != RD_KAFKA_CONF_OK)
    *value = 0;
  return g_strdup (value);
}

static guint
configured_number (rd_kafka_t *rk, const char *name)
{
  g_autofree char *text = configured (rk, name);
  return (guint)g_ascii_strtoull (text, NULL, 10);
}

Fetcher *
fetcher_new (rd_kafka_t *rk)
{
  Fetcher *fetcher = g_new0 (Fetcher, 1);
  fetcher->rk = rk;
  fetcher->messages = MAX (configured_number (rk, "queued.min.messages") / 2, 1);
  fetcher->bytes = (gsize)MAX (configured_number (rk, "queued.max.messages.kbytes"), 1) * 512;
  fetcher->username = configured (rk, "sasl.username");
  fetcher->password = configured (rk, "sasl.password");
  return fetcher;
}

void
fetcher_free (Fetcher *fetcher)
{
  if (fetcher == NULL)
    return;
  g_free (fetcher->username);
  g_free (fetcher->password);
  g_free (fetcher);
}

/* librdkafka has no call to wake the brokers' threads, but setting the credentials again wakes
 * them.
 */
void
fetcher_wake (Fetcher *fetcher)
{
  rd_kafka_error_t *failure
      = rd_kafka_sasl_set_credentials (fetcher->rk, fetcher->username, fetcher->password);
  g_assert (failure == NULL); /* fails only if arguments are missing */
}

void
fetcher_taken (Fetcher *fetcher, FetcherCount *count, guint messages, gsize bytes)
{
  count->messages += messages;
  count->bytes += bytes;
  if (count->messages < fetcher->messages && count->bytes < fetcher->bytes)
    return;
  *count = (FetcherCount){ 0 };
  fetcher_wake (fetcher);
}
