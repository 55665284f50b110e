#include "engine/outbox/dead.h"

#include "base/cut.h"
#include "base/log.h"
#include "engine/outbox/publish.h"
#include "engine/service/stats.h"

/* FALSE without an error: one of LETTERS is too large. */
static gboolean
send_if_small (Service *service, GPtrArray *letters, GError **error)
{
  GError *cause = NULL;
  gboolean sent = publisher_send_messages (service->publisher, letters, &cause);
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
  if (cause != NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_autoptr (KafkaMessage) shorter = dead_letter_short (letter);
  one->pdata[0] = shorter;
  return letter->acked = publisher_send_messages (service->publisher, one, error);
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
  g_autofree char *where = g_strdup_printf ("%s:%d:%" G_GINT64_FORMAT, message->topic,
                                            message->partition, message->offset);
  g_autofree char *why = cut_text (reason, CUT_ERROR_BYTES);
  log_warning ("Message went to the dead topic", "reason", why, "source", where);
  stats_add (STATS_DEAD_MESSAGES, NULL, NULL, 1);
}

gboolean
dead_letter_bury (Service *service, const KafkaMessage *message, const char *reason, int attempts,
                  GError **error)
{
  g_autoptr (GPtrArray) letters
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  g_ptr_array_add (letters, dead_letter (service->prefix, message, reason, attempts));
  if (!dead_letters_send (service, letters, error))
    return FALSE;
  dead_letter_log (message, reason);
  return TRUE;
}
