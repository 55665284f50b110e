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

/* Only what we know about it, without what somebody else has put in. */
static KafkaMessage *
shortened (const KafkaMessage *letter)
{
  static const char *const ours[] = { "pruned_reason", "pruned_source_topic", "pruned_source_partition", "pruned_source_offset",
                                      "pruned_attempts", "pruned_first_seen", "pruned_last_seen" };
  KafkaMessage *message = kafka_message_new (letter->topic, -1);
  g_autofree char *omitted = g_strdup_printf ("%" G_GSIZE_FORMAT " bytes, too large for this topic: see the source", letter->value_len);
  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    kafka_message_add_header (message, ours[i], kafka_message_header (letter, ours[i])->value);
  kafka_message_add_header (message, "pruned_value_omitted", omitted);
  return message;
}

/* FALSE without an error: one of LETTERS is too large. */
static gboolean
send_if_small (Service *service, GPtrArray *letters, GError **error)
{
  GError *cause = NULL;
  gboolean sent = publisher_send_messages (service->publisher, letters, &service->stop, &cause);
  if (!sent && cause->code != PRUNED_DATA)
    g_propagate_error (error, g_steal_pointer (&cause));
  g_clear_error (&cause);
  return sent;
}

static gboolean
send_one (Service *service, KafkaMessage *letter, GError **error)
{
  GError *cause = NULL;
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_ptr_array_add (one, letter);
  if (letter->acked || send_if_small (service, one, &cause))
    return TRUE;
  if (cause != NULL)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  g_autoptr (KafkaMessage) shorter = shortened (letter);
  one->pdata[0] = shorter;
  return letter->acked = publisher_send_messages (service->publisher, one, &service->stop, error);
}

gboolean
dead_letters_send (Service *service, GPtrArray *letters, GError **error)
{
  GError *cause = NULL;
  if (send_if_small (service, letters, &cause))
    return TRUE;
  gboolean ok = cause == NULL;
  if (!ok)
    g_propagate_error (error, cause);
  for (guint i = 0; ok && i < letters->len; i++)
    ok = send_one (service, letters->pdata[i], error);
  return ok;
}

void
dead_letter_log (const KafkaMessage *message, const char *reason)
{
  g_autofree char *where = g_strdup_printf ("%s:%d:%" G_GINT64_FORMAT, message->topic, message->partition, message->offset);
  log_warning ("Message went to the dead topic", "reason", reason, "source", where);
  stats_add (STATS_DEAD_MESSAGES, NULL, NULL, 1);
}
