#include "kafka/library.h"
#include "base/error.h"
#include <librdkafka/rdkafka.h>

/* 0xMMmmrrxx, as rd_kafka_version () counts. */
#define LEAST 0x020002ff
#define QUEUE_BACKOFF_SINCE 0x02020000
/* Between these versions the library's cache of topics has two bugs, see library.h. */
#define TOPIC_IDS_SINCE 0x02040000
#define TOPIC_IDS_FIXED_SINCE 0x020a0000

const char *
kafka_library_version (void)
{
  return rd_kafka_version_str ();
}

gboolean
kafka_library_check (GError **error)
{
  if (rd_kafka_version () >= LEAST)
    return TRUE;
  return error_fatal (error, "librdkafka %s is too old: 2.0.2 or newer is needed",
                      rd_kafka_version_str ());
}

const char *const *
kafka_library_settings (void)
{
  static const char *const none[] = { NULL };
  static const char *const queue_backoff[] = { "fetch.queue.backoff.ms", "10", NULL };
  return rd_kafka_version () >= QUEUE_BACKOFF_SINCE ? queue_backoff : none;
}

gboolean
kafka_library_survives_topic_errors (void)
{
  return rd_kafka_version () < TOPIC_IDS_SINCE || rd_kafka_version () >= TOPIC_IDS_FIXED_SINCE;
}
