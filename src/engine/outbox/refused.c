#include "engine/outbox/refused.h"

#include "base/clock.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/outbox/fit.h"

#define MOST_US (60 * G_USEC_PER_SEC) /* then the lane is to show that it lives (watchdog.h) */

/* How long a text of an outcome can still be (0: as it is); the next one if the topic refuses this
 * one, too. */
static const gsize MOST_BYTES[] = { 0, CUT_ERROR_BYTES, 1000, 100 };

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

/* An outcome, and what is sent for it. */
typedef struct {
  KafkaMessage *outcome, *sent; /* SENT: the outcome itself, or a shorter copy */
} Piece;

/* Pieces that are tried together. */
typedef struct {
  const Refused *how;
  GArray *pieces; /* Piece */
  gsize refused;  /* the bytes of the smallest that was refused alone */
  gint64 until_us;
} Round;

static gsize
bytes_of (const Piece *piece)
{
  return piece->sent->value_len + piece->sent->key_len;
}

/* FALSE with PRUNED_OUTAGE: the caller's lane has other things to look at, and then tries again. */
static gboolean
has_time (const Round *round, GError **error)
{
  if (clock_monotonic_us () < round->until_us)
    return TRUE;
  g_set_error_literal (error, PRUNED_ERROR, PRUNED_OUTAGE,
                       "outcomes that are too large for their topic: not all are sent yet");
  return FALSE;
}

/* Sends the pieces from FROM on, N of them, by halves. Left are those that are refused alone, and
 * those that are no smaller, which are not tried. */
static gboolean
send_part (Round *round, guint from, guint n, GError **error)
{
  gboolean goes;
  g_autoptr (GPtrArray) part = g_ptr_array_new ();
  const Piece *last = NULL;
  for (guint i = from; i < from + n; i++) {
    const Piece *piece = &g_array_index (round->pieces, Piece, i);
    if (piece->sent->acked || bytes_of (piece) >= round->refused)
      continue;
    g_ptr_array_add (part, piece->sent);
    last = piece;
  }
  if (part->len == 0)
    return TRUE;
  if (!has_time (round, error) || !publish (round->how, part, &goes, error))
    return FALSE;
  if (!goes && part->len == 1)
    round->refused = bytes_of (last);
  if (goes || part->len == 1)
    return TRUE;
  return send_part (round, from, n / 2, error) && send_part (round, from + n / 2, n - n / 2, error);
}

static void
clear_piece (gpointer data)
{
  Piece *piece = data;
  if (piece->sent != piece->outcome)
    kafka_message_free (piece->sent);
}

/* Those of OUTCOMES that are not sent yet, cut to MOST bytes (0: whole). */
static GArray *
pieces_of (GPtrArray *outcomes, gsize most)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_array_set_clear_func (pieces, clear_piece);
  for (guint i = 0; i < outcomes->len; i++) {
    KafkaMessage *outcome = outcomes->pdata[i];
    Piece piece = { outcome, outcome };
    if (!outcome->acked && most > 0)
      piece.sent = fit_cut (outcome, most);
    if (!outcome->acked && piece.sent != NULL)
      g_array_append_val (pieces, piece);
  }
  return pieces;
}

/* One round: all of OUTCOMES that are left, cut to MOST bytes (0: whole). */
static gboolean
send_cut (const Refused *how, GPtrArray *outcomes, gsize most, gint64 until_us, GError **error)
{
  g_autoptr (GArray) pieces = pieces_of (outcomes, most);
  Round round = { how, pieces, G_MAXSIZE, until_us };
  const gboolean ok = send_part (&round, 0, pieces->len, error);
  for (guint i = 0; i < pieces->len; i++) {
    const Piece *piece = &g_array_index (pieces, Piece, i);
    if (!piece->sent->acked || piece->sent == piece->outcome)
      continue;
    piece->outcome->acked = TRUE;
    tell_cut (how, piece->outcome, most);
  }
  return ok;
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
  const gint64 until_us = clock_monotonic_us () + MOST_US;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < G_N_ELEMENTS (MOST_BYTES); i++)
    ok = send_cut (how, outcomes, MOST_BYTES[i], until_us, error);
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
