#include "engine/outbox/refused.h"

#include "base/cut.h"
#include "base/log.h"
#include "engine/outbox/fit.h"

/* How long a text of an outcome can still be; the next one if the topic refuses this one, too. */
static const gsize MOST_BYTES[] = { CUT_ERROR_BYTES, 1000, 100 };

/* TRUE: one counts as sent. */
static gboolean
give_up_work (const Refused *how, GPtrArray *messages, const GError *cause)
{
  g_autofree char *work = g_strconcat (how->prefix, ".work.", NULL);
  gboolean any = FALSE;
  for (guint i = 0; i < messages->len; i++) {
    KafkaMessage *message = messages->pdata[i];
    if (message->acked || !message->refused || !g_str_has_prefix (message->topic, work))
      continue;
    message->acked = any = TRUE;
    log_warning_every (60, "refused work", "Topic rejected a work message", cause->message);
  }
  return any;
}

/* *GOES: all are acknowledged; else some were refused. FALSE with an error: neither is known. */
static gboolean
publish (const Refused *how, GPtrArray *messages, gboolean *goes, GError **error)
{
  GError *cause = NULL;
  *goes = kafka_publish (how->producer, messages, how->timeout_ms, how->stop, &cause);
  if (*goes || cause->code == PRUNED_DATA) {
    g_clear_error (&cause);
    return TRUE;
  }
  g_propagate_error (error, cause);
  return FALSE;
}

static void
tell_cut (const Refused *how, const KafkaMessage *message, gsize most)
{
  g_autoptr (json_t) about = fit_about (message, how->job);
  json_object_set_new (about, "cut_to", json_integer ((json_int_t)most));
  log_fields (LOG_ERROR, "Outcome was too large for its topic, so its long texts were cut", about);
}

/* Sends the refused MESSAGE with shorter texts. */
static gboolean
send_cut (const Refused *how, KafkaMessage *message, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (MOST_BYTES) && !message->acked; i++) {
    g_autoptr (KafkaMessage) shorter = fit_cut (message, MOST_BYTES[i]);
    if (shorter == NULL)
      continue;
    g_autoptr (GPtrArray) one = g_ptr_array_new ();
    g_ptr_array_add (one, shorter);
    if (!publish (how, one, &message->acked, error))
      return FALSE;
    if (message->acked)
      tell_cut (how, message, MOST_BYTES[i]);
  }
  return TRUE;
}

/* Sends those of OUTCOMES from FROM on, N of them, by halves: each that is refused alone is cut. */
static gboolean
send_part (const Refused *how, GPtrArray *outcomes, guint from, guint n, GError **error)
{
  gboolean goes;
  g_autoptr (GPtrArray) part = g_ptr_array_new ();
  for (guint i = from; i < from + n; i++)
    g_ptr_array_add (part, outcomes->pdata[i]);
  if (!publish (how, part, &goes, error))
    return FALSE;
  if (goes)
    return TRUE;
  if (n == 1)
    return send_cut (how, outcomes->pdata[from], error);
  return send_part (how, outcomes, from, n / 2, error)
         && send_part (how, outcomes, from + n / 2, n - n / 2, error);
}

/* *DONE: how many of the refused outcomes were sent. */
static gboolean
send_outcomes (const Refused *how, GPtrArray *messages, guint *done, GError **error)
{
  g_autofree char *topic = g_strconcat (how->prefix, ".outcomes", NULL);
  g_autoptr (GPtrArray) outcomes = g_ptr_array_new ();
  for (guint i = 0; i < messages->len; i++) {
    const KafkaMessage *message = messages->pdata[i];
    if (!message->acked && message->refused && g_str_equal (message->topic, topic))
      g_ptr_array_add (outcomes, messages->pdata[i]);
  }
  const guint half = outcomes->len / 2;
  gboolean ok = outcomes->len == 0
                || ((half == 0 || send_part (how, outcomes, 0, half, error))
                    && send_part (how, outcomes, half, outcomes->len - half, error));
  for (guint i = 0; i < outcomes->len; i++)
    *done += ((const KafkaMessage *)outcomes->pdata[i])->acked;
  return ok;
}

gboolean
refused_settle (const Refused *how, GPtrArray *messages, const GError *cause, GError **error)
{
  guint done = 0;
  const gboolean work = give_up_work (how, messages, cause);
  if (!send_outcomes (how, messages, &done, error))
    return FALSE;
  return work || done > 0;
}
