#include "engine/dead.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/stats.h"

KafkaMessage *
dead_letter (const char *prefix, const KafkaMessage *message, const char *reason, int attempts)
{
  KafkaMessage *dead = kafka_message_copy (message);
  g_free (dead->topic);
  dead->topic = g_strconcat (prefix, ".dead", NULL);
  dead->partition = -1;
  g_autofree char *partition = g_strdup_printf ("%d", message->partition);
  g_autofree char *offset = g_strdup_printf ("%" G_GINT64_FORMAT, message->offset);
  g_autofree char *count = g_strdup_printf ("%d", attempts);
  g_autofree char *first = clock_format (message->timestamp_ms * 1000);
  g_autofree char *last = clock_format (clock_now_us ());
  kafka_message_add_header (dead, "pruned_reason", reason);
  kafka_message_add_header (dead, "pruned_source_topic", message->topic);
  kafka_message_add_header (dead, "pruned_source_partition", partition);
  kafka_message_add_header (dead, "pruned_source_offset", offset);
  kafka_message_add_header (dead, "pruned_attempts", count);
  kafka_message_add_header (dead, "pruned_first_seen", first);
  kafka_message_add_header (dead, "pruned_last_seen", last);
  return dead;
}

void
dead_letter_log (const KafkaMessage *message, const char *reason)
{
  g_autofree char *where = g_strdup_printf ("%s:%d:%" G_GINT64_FORMAT, message->topic, message->partition, message->offset);
  log_warning ("Message went to the dead topic", "reason", reason, "source", where);
  stats_add (STATS_DEAD_MESSAGES, NULL, NULL, 1);
}
