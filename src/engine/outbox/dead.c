#include "engine/outbox/dead.h"

#include "base/cut.h"
#include "base/log.h"
#include "engine/outbox/publish.h"
#include "engine/service/stats.h"

#define SQL "src/engine/outbox/sql/"
#define PATIENCE_MS 2000

struct _DeadLetters {
  char *prefix;
  GPtrArray *letters, *messages, *reasons; /* item by item */
};

DeadLetters *
dead_letters_new (const char *prefix)
{
  DeadLetters *letters = g_new (DeadLetters, 1);
  *letters = (DeadLetters){ g_strdup (prefix),
                            g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free),
                            g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free) };
  return letters;
}

void
dead_letters_free (DeadLetters *letters)
{
  if (letters == NULL)
    return;
  g_ptr_array_unref (letters->letters);
  g_ptr_array_unref (letters->messages);
  g_ptr_array_unref (letters->reasons);
  g_free (letters->prefix);
  g_free (letters);
}

void
dead_letters_add (DeadLetters *letters, const KafkaMessage *message, const char *reason,
                  int attempts)
{
  g_ptr_array_add (letters->letters, dead_letter (letters->prefix, message, reason, attempts));
  g_ptr_array_add (letters->messages, (gpointer)message);
  g_ptr_array_add (letters->reasons, g_strdup (reason));
}

/* --- what is known --- */

static PgValues *
values_of (const DeadLetters *letters)
{
  const KafkaMessage *first = letters->messages->pdata[0];
  GString *offsets = array_new (), *times = array_new ();
  for (guint i = 0; i < letters->messages->len; i++) {
    const KafkaMessage *message = letters->messages->pdata[i];
    array_add_int (offsets, message->offset);
    array_add_int (times, message->timestamp_ms);
  }
  PgValues *values = pg_values_new ();
  pg_values_set (values, "topic", first->topic);
  pg_values_int (values, "partition", first->partition);
  pg_values_take (values, "offset", array_take (offsets));
  pg_values_take (values, "sent_ms", array_take (times));
  return values;
}

/* How many messages the dead topic has had, those of its past included; -1: not known. Adds where
 * its partitions end to VALUES. */
static gint64
messages_ever (const Service *service, const char *topic, PgValues *values)
{
  const gint32 n = kafka_producer_partitions (service->producer, topic, PATIENCE_MS);
  g_autofree KafkaEdges *edges = g_new0 (KafkaEdges, n);
  GString *partitions = array_new (), *highs = array_new ();
  gint64 all
      = n > 0 && kafka_producer_edges (service->producer, topic, edges, (guint)n, PATIENCE_MS) ? 0
                                                                                               : -1;
  for (gint32 i = 0; all >= 0 && i < n; i++) {
    all += edges[i].high;
    array_add_int (partitions, i);
    array_add_int (highs, edges[i].high);
  }
  pg_values_take (values, "partition", array_take (partitions));
  pg_values_take (values, "high", array_take (highs));
  return all;
}

/* It has had fewer messages than letters are known, counted before, because a letter is noted after
 * it was sent. */
gboolean
dead_letters_look (const Service *service, Pg *pg, gboolean *anew, GError **error)
{
  g_autofree char *topic = g_strconcat (service->prefix, ".dead", NULL);
  g_autoptr (PgValues) values = pg_values_new ();
  g_autoptr (PgRows) counted = pg_run_file (pg, SQL "dead_counted.sql", NULL, error);
  if (counted == NULL)
    return FALSE;
  const gint64 ever = messages_ever (service, topic, values);
  *anew = ever >= 0 && ever < rows_int (counted, 0, "letters");
  if (!*anew)
    return TRUE;
  pg_values_set (values, "topic", topic);
  g_autoptr (PgRows) gone = pg_run_file (pg, SQL "dead_forget.sql", values, error);
  if (gone != NULL)
    log_warning ("The dead topic was made anew: what is read again gets a letter there", "letters",
                 rows_text (counted, 0, "letters"));
  return gone != NULL;
}

/* Leaves those that have no letter yet. */
static gboolean
leave_known_out (const Service *service, Pg *pg, DeadLetters *letters, GError **error)
{
  g_autoptr (PgValues) values = values_of (letters);
  g_autoptr (PgRows) known = pg_run_file (pg, SQL "dead_known.sql", values, error);
  gboolean anew = FALSE;
  if (known != NULL && rows_count (known) > 0 && !dead_letters_look (service, pg, &anew, error))
    return FALSE;
  if (anew)
    return TRUE;
  for (int i = known != NULL ? rows_count (known) : 0; i-- > 0;) {
    const guint row = (guint)rows_int (known, i, "row");
    g_ptr_array_remove_index (letters->letters, row);
    g_ptr_array_remove_index (letters->messages, row);
    g_ptr_array_remove_index (letters->reasons, row);
  }
  return known != NULL;
}

static gboolean
note (Pg *pg, const DeadLetters *letters, GError **error)
{
  g_autoptr (PgValues) values = values_of (letters);
  g_autoptr (PgRows) noted = pg_run_file (pg, SQL "dead_note.sql", values, error);
  return noted != NULL;
}

/* --- sending --- */

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

static gboolean
send_all (Service *service, GPtrArray *letters, GError **error)
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

static void
log_letter (const KafkaMessage *message, const char *reason)
{
  g_autofree char *where = g_strdup_printf ("%s:%d:%" G_GINT64_FORMAT, message->topic,
                                            message->partition, message->offset);
  g_autofree char *why = cut_text (reason, CUT_ERROR_BYTES);
  log_warning ("Message went to the dead topic", "reason", why, "source", where);
  stats_add (STATS_DEAD_MESSAGES, NULL, NULL, 1);
}

gboolean
dead_letters_send (Service *service, Pg *pg, DeadLetters *letters, GError **error)
{
  if (letters->letters->len == 0)
    return TRUE;
  if (!leave_known_out (service, pg, letters, error))
    return FALSE;
  if (letters->letters->len == 0)
    return TRUE;
  if (!send_all (service, letters->letters, error))
    return FALSE;
  for (guint i = 0; i < letters->messages->len; i++)
    log_letter (letters->messages->pdata[i], letters->reasons->pdata[i]);
  return note (pg, letters, error);
}
