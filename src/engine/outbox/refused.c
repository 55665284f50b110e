#include "engine/outbox/refused.h"

#include "base/clock.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/outbox/dead_letter.h"
#include "engine/outbox/fit.h"
#include "engine/service/stats.h"

#define SMALL_BYTES 10000             /* a topic that takes no such outcome is as good as closed */
#define MOST_US (60 * G_USEC_PER_SEC) /* then the caller says that its lane lives (lanes_touch) */

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

/* *GOES: all are acknowledged; else some were refused, and *WHY says it (NULL: do not say). FALSE
 * with an error: neither is known. */
static gboolean
publish (const Refused *how, GPtrArray *messages, gboolean *goes, char **why, GError **error)
{
  GError *cause = NULL;
  *goes = kafka_publish (how->producer, messages, how->timeout_ms, how->stop, &cause);
  if (*goes || cause->code == PRUNED_DATA) {
    if (!*goes && why != NULL)
      *why = g_strdup (cause->message);
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
  GArray *pieces;   /* Piece */
  gsize refused;    /* the bytes of the smallest that was too large alone */
  GHashTable *whys; /* outcomes that were refused alone, to the reason */
  gint64 until_us;
} Round;

static gsize
bytes_of (const Piece *piece)
{
  return piece->sent->value_len + piece->sent->key_len;
}

/* FALSE with PRUNED_OUTAGE: the caller's lane has other things to look at, and then tries again. */
static gboolean
has_time (gint64 until_us, GError **error)
{
  if (clock_monotonic_us () < until_us)
    return TRUE;
  return error_set (error, PRUNED_OUTAGE,
                    "outcomes that their topic refuses: not all are settled yet");
}

/* PIECE was refused alone. */
static void
note_refused (Round *round, const Piece *piece, char *why)
{
  if (piece->sent->too_large)
    round->refused = bytes_of (piece);
  piece->outcome->too_large = piece->sent->too_large;
  g_hash_table_replace (round->whys, piece->outcome, why);
}

/* Sends the pieces from FROM on, N of them, by halves. Left are those that are refused alone, and
 * those that are no smaller than one that was too large, which are not tried. */
static gboolean
send_part (Round *round, guint from, guint n, GError **error)
{
  gboolean goes;
  g_autofree char *why = NULL;
  g_autoptr (GPtrArray) part = g_ptr_array_new ();
  const Piece *last = NULL;
  for (guint i = from; i < from + n; i++) {
    const Piece *piece = &g_array_index (round->pieces, Piece, i);
    if (piece->sent->acked)
      continue;
    if (bytes_of (piece) >= round->refused) {
      piece->outcome->too_large = TRUE;
      continue;
    }
    g_ptr_array_add (part, piece->sent);
    last = piece;
  }
  if (part->len == 0)
    return TRUE;
  if (!has_time (round->until_us, error) || !publish (round->how, part, &goes, &why, error))
    return FALSE;
  if (!goes && part->len == 1)
    note_refused (round, last, g_steal_pointer (&why));
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

/* Those of OUTCOMES that are not sent yet, cut to MOST bytes (0: whole). Only size is mended by
 * that. */
static GArray *
pieces_of (GPtrArray *outcomes, gsize most)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_array_set_clear_func (pieces, clear_piece);
  for (guint i = 0; i < outcomes->len; i++) {
    KafkaMessage *outcome = outcomes->pdata[i];
    Piece piece = { outcome, outcome };
    if (!outcome->acked && most > 0)
      piece.sent = outcome->too_large ? fit_cut (outcome, most) : NULL;
    if (!outcome->acked && piece.sent != NULL)
      g_array_append_val (pieces, piece);
  }
  return pieces;
}

/* One round: all of OUTCOMES that are left, cut to MOST bytes (0: whole). */
static gboolean
send_cut (const Refused *how, GPtrArray *outcomes, gsize most, GHashTable *whys, gint64 until_us,
          GError **error)
{
  g_autoptr (GArray) pieces = pieces_of (outcomes, most);
  Round round = { how, pieces, G_MAXSIZE, whys, until_us };
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

/* --- what no topic of outcomes takes --- */

static KafkaMessage *
letter_of (const Refused *how, const KafkaMessage *outcome, const char *why)
{
  g_autofree char *reason = g_strconcat ("refused: ", why, NULL);
  g_autoptr (KafkaMessage) original = kafka_message_copy (outcome);
  original->timestamp_ms = clock_now_us () / 1000;
  original->offset = -1;
  return dead_letter (how->prefix, original, reason, 1);
}

/* As in dead.c: a letter that is too large goes without its value. */
static gboolean
send_letter (const Refused *how, KafkaMessage *letter, GError **error)
{
  gboolean goes;
  g_autofree char *why = NULL;
  g_autoptr (KafkaMessage) shorter = dead_letter_short (letter);
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_ptr_array_add (one, letter);
  if (!publish (how, one, &goes, NULL, error) || goes)
    return goes;
  one->pdata[0] = shorter;
  if (!publish (how, one, &goes, &why, error))
    return FALSE;
  if (!goes)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
                 "what topic %s.outcomes refuses cannot go to the dead topic: %s", how->prefix,
                 why);
  return goes;
}

static gboolean
bury (const Refused *how, KafkaMessage *outcome, const char *why, GError **error)
{
  g_autoptr (KafkaMessage) letter = letter_of (how, outcome, why);
  if (!send_letter (how, letter, error))
    return FALSE;
  outcome->acked = TRUE;
  stats_add (STATS_DEAD_MESSAGES, NULL, NULL, 1);
  g_autoptr (json_t) about = fit_about (outcome, how->job);
  json_object_set_new (about, "error", json_string (why));
  log_fields (LOG_ERROR, "Outcome was refused by its topic and went to the dead topic", about);
  return TRUE;
}

/* One after the other: they are few, unless the topic itself is wrong. */
static gboolean
bury_rest (const Refused *how, GPtrArray *outcomes, GHashTable *whys, const GError *cause,
           gint64 until_us, GError **error)
{
  for (guint i = 0; i < outcomes->len; i++) {
    KafkaMessage *outcome = outcomes->pdata[i];
    const char *why = g_hash_table_lookup (whys, outcome);
    if (!outcome->acked
        && (!has_time (until_us, error)
            || !bury (how, outcome, why != NULL ? why : cause->message, error)))
      return FALSE;
  }
  return TRUE;
}

/* OUTCOME, with its long texts cut, is so small that any topic should take it. */
static gboolean
is_small (const KafkaMessage *outcome)
{
  g_autoptr (KafkaMessage) cut = fit_cut (outcome, MOST_BYTES[G_N_ELEMENTS (MOST_BYTES) - 1]);
  const Piece piece = { .sent = cut != NULL ? cut : (KafkaMessage *)outcome };
  return bytes_of (&piece) < SMALL_BYTES;
}

/* TOPIC takes none of MESSAGES, and small ones are too large for it: they wait until it is as it
 * should be. */
static gboolean
is_closed (const GPtrArray *messages, const char *topic)
{
  for (guint i = 0; i < messages->len; i++) {
    const KafkaMessage *message = messages->pdata[i];
    if (g_str_equal (message->topic, topic)
        && (message->acked || !message->too_large || !is_small (message)))
      return FALSE;
  }
  return TRUE;
}

/* --- all of it --- */

/* One after the other, apart from what other threads send: a broker refuses all that is in one
 * request. */
static gboolean
settle_apart (const Refused *how, const GPtrArray *messages, GPtrArray *outcomes,
              const GError *cause, GError **error)
{
  const gint64 until_us = clock_monotonic_us () + MOST_US;
  g_autoptr (KafkaProducer) producer = kafka_producer_apart (how->producer, error);
  if (producer == NULL)
    return FALSE;
  g_autoptr (GHashTable) whys = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Refused apart = *how;
  apart.producer = producer;
  for (guint i = 0; i < G_N_ELEMENTS (MOST_BYTES); i++)
    if (!send_cut (&apart, outcomes, MOST_BYTES[i], whys, until_us, error))
      return FALSE;
  return is_closed (messages, ((const KafkaMessage *)outcomes->pdata[0])->topic)
         || bury_rest (&apart, outcomes, whys, cause, until_us, error);
}

/* *DONE: how many of the refused outcomes were sent, here or to the dead topic. */
static gboolean
settle_outcomes (const Refused *how, GPtrArray *messages, const GError *cause, guint *done,
                 GError **error)
{
  g_autofree char *topic = g_strconcat (how->prefix, ".outcomes", NULL);
  g_autoptr (GPtrArray) outcomes = g_ptr_array_new ();
  for (guint i = 0; i < messages->len; i++) {
    const KafkaMessage *message = messages->pdata[i];
    if (!message->acked && message->refused && g_str_equal (message->topic, topic))
      g_ptr_array_add (outcomes, messages->pdata[i]);
  }
  gboolean ok = outcomes->len == 0 || settle_apart (how, messages, outcomes, cause, error);
  for (guint i = 0; i < outcomes->len; i++)
    *done += ((const KafkaMessage *)outcomes->pdata[i])->acked;
  return ok;
}

gboolean
refused_settle (const Refused *how, GPtrArray *messages, const GError *cause, GError **error)
{
  guint done = 0;
  const gboolean work = give_up_work (how, messages, cause);
  if (!settle_outcomes (how, messages, cause, &done, error))
    return FALSE;
  return work || done > 0;
}
