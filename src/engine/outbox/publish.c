/* Length: a reader follows a bundle from its row to the transaction that removes it.
 */
#include "engine/outbox/publish.h"

#include "base/fault.h"
#include "base/log.h"
#include "engine/outbox/refused.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define SEND_TIMEOUT_MS 30000
struct _Publisher {
  KafkaProducer *producer;
  char *prefix;
  pthread_mutex_t lock;
  GHashTable *in_flight; /* names of bundles stored and not yet removed */
  GPtrArray *sent;       /* names of bundles whose rows can be removed */
  GHashTable *begun;     /* names of left rows to their messages, of which some were sent */
  atomic_int stop;       /* all sending must fail */
};

Publisher *
publisher_new (KafkaProducer *producer, const char *prefix)
{
  Publisher *publisher = g_new0 (Publisher, 1);
  publisher->producer = producer;
  publisher->prefix = g_strdup (prefix);
  publisher->in_flight = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  publisher->sent = g_ptr_array_new_with_free_func (g_free);
  publisher->begun
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  pthread_mutex_init (&publisher->lock, NULL);
  return publisher;
}

void
publisher_free (Publisher *publisher)
{
  if (publisher == NULL)
    return;
  g_hash_table_destroy (publisher->in_flight);
  g_ptr_array_unref (publisher->sent);
  g_hash_table_destroy (publisher->begun);
  pthread_mutex_destroy (&publisher->lock);
  g_free (publisher->prefix);
  g_free (publisher);
}

void
publisher_stop (Publisher *publisher)
{
  atomic_store (&publisher->stop, TRUE);
}

char *
publisher_topic (const Publisher *publisher, const char *name)
{
  return g_strconcat (publisher->prefix, ".", name, NULL);
}

static char *
hex_of (const GByteArray *bytes)
{
  static const char digits[] = "0123456789abcdef";
  char *hex = g_malloc (2 * (gsize)bytes->len + 3), *p = hex;
  *p++ = '\\';
  *p++ = 'x';
  for (guint i = 0; i < bytes->len; i++) {
    *p++ = digits[bytes->data[i] >> 4];
    *p++ = digits[bytes->data[i] & 15];
  }
  *p = '\0';
  return hex;
}

static char *
name_of (const char *run_id, int step)
{
  return g_strdup_printf ("%s/%d", run_id, step);
}

static PgValues *
row_of (const Bundle *bundle)
{
  PgValues *values = pg_values_new ();
  pg_values_set (values, "run_id", bundle->run_id);
  pg_values_int (values, "step", bundle->step);
  pg_values_set (values, "job", bundle->job);
  pg_values_int (values, "slot", bundle->slot);
  pg_values_take (values, "messages", hex_of (bundle->stored));
  return values;
}

gboolean
publish_leave (Pg *pg, const Bundle *bundle, GError **error)
{
  if (!bundle_is_whole (bundle, error))
    return FALSE;
  g_autoptr (PgValues) values = row_of (bundle);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/outbox/sql/outbox_put.sql", values, error);
  return rows != NULL;
}

gboolean
publisher_store (Publisher *publisher, Pg *pg, Bundle *bundle, GError **error)
{
  if (!bundle_is_whole (bundle, error))
    return FALSE;
  g_autoptr (PgValues) values = row_of (bundle);
  bundle->name = name_of (bundle->run_id, bundle->step);
  pthread_mutex_lock (&publisher->lock);
  g_hash_table_add (publisher->in_flight, g_strdup (bundle->name));
  pthread_mutex_unlock (&publisher->lock);
  return pg_queue (pg, pg_statement ("src/engine/outbox/sql/outbox_put.sql"), values, error);
}

void
publisher_abandon (Publisher *publisher, Bundle *bundle)
{
  if (bundle == NULL || bundle->name == NULL)
    return;
  pthread_mutex_lock (&publisher->lock);
  g_hash_table_remove (publisher->in_flight, bundle->name);
  pthread_mutex_unlock (&publisher->lock);
  g_clear_pointer (&bundle->name, g_free);
}

/* Ends SENDING, if there is one, and sends the rest. JOB: of the messages; NULL: not known. */
static gboolean
send_all (Publisher *publisher, KafkaSending *sending, GPtrArray *messages, const char *job,
          GError **error)
{
  const Refused how
      = { publisher->producer, publisher->prefix, job, SEND_TIMEOUT_MS, &publisher->stop };
  for (;;) {
    g_autoptr (GError) cause = NULL;
    GError *outage = NULL;
    gboolean sent = sending != NULL ? kafka_publish_end (publisher->producer, sending, messages,
                                                         SEND_TIMEOUT_MS, &publisher->stop, &cause)
                                    : kafka_publish (publisher->producer, messages, SEND_TIMEOUT_MS,
                                                     &publisher->stop, &cause);
    if (sent)
      return TRUE;
    sending = NULL;
    if (cause->code == PRUNED_DATA && refused_settle (&how, messages, cause, &outage))
      continue;
    g_propagate_error (error, outage != NULL ? outage : g_steal_pointer (&cause));
    return FALSE;
  }
}

gboolean
publisher_send_messages (Publisher *publisher, GPtrArray *messages, GError **error)
{
  return messages->len == 0 || send_all (publisher, NULL, messages, NULL, error);
}

/* FALSE: they cannot be written now as readers get them. */
static gboolean
make_messages (const Publisher *publisher, Bundle *bundle, GError **error)
{
  g_autoptr (GError) bug = NULL;
  if (bundle->messages == NULL)
    bundle->messages
        = bundle_read (bundle->stored->data, bundle->stored->len, publisher->prefix, &bug);
  if (bundle->messages == NULL)
    g_error ("%s", bug->message);
  return bundle_write (bundle->messages, error);
}

gboolean
publisher_send_plain (Publisher *publisher, Bundle *bundle, GError **error)
{
  if (bundle->wrong != NULL) /* the bundle is about runs: each is found missing, and then reports
                                why it cannot be sent */
    log_warning_every (60, "a message", "Message could not be encoded", bundle->wrong->message);
  if (bundle->size == 0)
    return TRUE;
  return make_messages (publisher, bundle, error)
         && send_all (publisher, g_steal_pointer (&bundle->sending), bundle->messages, bundle->job,
                      error);
}

static void
add_sent (Publisher *publisher, const char *name)
{
  pthread_mutex_lock (&publisher->lock);
  g_ptr_array_add (publisher->sent, g_strdup (name));
  pthread_mutex_unlock (&publisher->lock);
}

void
publisher_begin (Publisher *publisher, Bundle *bundle, GDestroyNotify done, gpointer data)
{
  FAULT ("publish.before");
  publisher_begin_plain (publisher, bundle, done, data);
}

void
publisher_begin_plain (Publisher *publisher, Bundle *bundle, GDestroyNotify done, gpointer data)
{
  if (make_messages (publisher, bundle, NULL))
    bundle->sending = kafka_publish_begin (publisher->producer, bundle->messages, done, data);
  else
    done (data); /* publisher_send says why */
}

gboolean
publisher_send (Publisher *publisher, Bundle *bundle, GError **error)
{
  if (bundle->sending == NULL)
    FAULT ("publish.before");
  if (!publisher_send_plain (publisher, bundle, error))
    return FALSE;
  FAULT ("publish.after_acknowledgement");
  if (bundle->name != NULL)
    add_sent (publisher, bundle->name);
  g_clear_pointer (&bundle->name,
                   g_free); /* stays in flight until its row is removed: must not be abandoned */
  return TRUE;
}

static gboolean
remove_sent (Publisher *publisher, Pg *pg, GPtrArray **sent, GError **error)
{
  *sent = NULL;
  pthread_mutex_lock (&publisher->lock);
  if (publisher->sent->len > 0) {
    *sent = publisher->sent;
    publisher->sent = g_ptr_array_new_with_free_func (g_free);
  }
  pthread_mutex_unlock (&publisher->lock);
  if (*sent == NULL)
    return TRUE;
  GString *run_ids = array_new (), *steps = array_new ();
  for (guint i = 0; i < (*sent)->len; i++) {
    const char *name = (*sent)->pdata[i];
    const char *slash = strchr (name, '/');
    g_autofree char *run_id = g_strndup (name, slash - name);
    array_add (run_ids, run_id);
    array_add (steps, slash + 1);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (run_ids));
  pg_values_take (values, "step", array_take (steps));
  return pg_queue (pg, pg_statement ("src/engine/outbox/sql/outbox_remove.sql"), values, error);
}

static void
removed (Publisher *publisher, GPtrArray *sent)
{
  if (sent == NULL)
    return;
  pthread_mutex_lock (&publisher->lock);
  for (guint i = 0; i < sent->len; i++)
    g_hash_table_remove (publisher->in_flight, sent->pdata[i]);
  pthread_mutex_unlock (&publisher->lock);
  g_ptr_array_unref (sent);
}

static void
keep_sent (Publisher *publisher, GPtrArray *sent)
{
  if (sent == NULL)
    return;
  pthread_mutex_lock (&publisher->lock);
  for (guint i = 0; i < sent->len; i++)
    g_ptr_array_add (publisher->sent, g_strdup (sent->pdata[i]));
  pthread_mutex_unlock (&publisher->lock);
  g_ptr_array_unref (sent);
}

static gboolean
has_sent (Publisher *publisher)
{
  pthread_mutex_lock (&publisher->lock);
  gboolean has = publisher->sent->len > 0;
  pthread_mutex_unlock (&publisher->lock);
  return has;
}

/* The messages of the left row NAME, with what is known of an earlier try. */
static GPtrArray *
messages_left (Publisher *publisher, const char *name, const char *messages_base64, GError **error)
{
  gpointer key = NULL, begun = NULL;
  pthread_mutex_lock (&publisher->lock);
  if (g_hash_table_steal_extended (publisher->begun, name, &key, &begun))
    g_free (key);
  pthread_mutex_unlock (&publisher->lock);
  if (begun != NULL)
    return begun;
  gsize len;
  g_autofree guchar *bytes = g_base64_decode (messages_base64, &len);
  return bundle_read (bytes, len, publisher->prefix, error);
}

/* MESSAGES (or NULL) of the left row NAME were not all sent: those that were are not sent again. */
static void
leave_again (Publisher *publisher, const char *name, GPtrArray *messages)
{
  gboolean any = FALSE;
  for (guint i = 0; messages != NULL && i < messages->len; i++) {
    const KafkaMessage *message = messages->pdata[i];
    any = any || message->acked || message->filed;
  }
  pthread_mutex_lock (&publisher->lock);
  if (any)
    g_hash_table_replace (publisher->begun, g_strdup (name), g_ptr_array_ref (messages));
  g_hash_table_remove (publisher->in_flight, name);
  pthread_mutex_unlock (&publisher->lock);
}

gboolean
publisher_send_left (Publisher *publisher, const char *run_id, int step, const char *job,
                     const char *messages_base64, GError **error)
{
  g_autofree char *name = name_of (run_id, step);
  pthread_mutex_lock (&publisher->lock);
  gboolean ours = g_hash_table_contains (publisher->in_flight, name);
  if (!ours)
    g_hash_table_add (publisher->in_flight, g_strdup (name));
  pthread_mutex_unlock (&publisher->lock);
  if (ours)
    return FALSE;
  g_autoptr (GPtrArray) messages = messages_left (publisher, name, messages_base64, error);
  if (messages == NULL || !bundle_write (messages, error)
      || !send_all (publisher, NULL, messages, job, error)) {
    leave_again (publisher, name, messages);
    return FALSE;
  }
  add_sent (publisher, name);
  return TRUE;
}

/* --- transactions --- */

gboolean
transaction_begin (Transaction *transaction, Publisher *publisher, Pg *pg, GError **error)
{
  *transaction = (Transaction){ publisher, pg, NULL };
  return pg_begin (pg, error) && remove_sent (publisher, pg, &transaction->sent, error);
}

gboolean
transaction_flush (Transaction *transaction, GError **error)
{
  return transaction->sent == NULL
         || (pg_flush (transaction->pg, error) && pg_finish (transaction->pg, error));
}

gboolean
transaction_commit (Transaction *transaction, GError **error)
{
  FAULT ("step.before_commit");
  if (!pg_commit (transaction->pg, error))
    return FALSE;
  FAULT ("step.after_commit");
  removed (transaction->publisher, g_steal_pointer (&transaction->sent));
  return TRUE;
}

void
transaction_rollback (Transaction *transaction)
{
  pg_rollback (transaction->pg);
  keep_sent (transaction->publisher, g_steal_pointer (&transaction->sent));
}

gboolean
transaction_remove_sent (Publisher *publisher, Pg *pg, GError **error)
{
  Transaction transaction = { 0 };
  if (!has_sent (publisher))
    return TRUE;
  /* it is no step, so it does not pass the fault points of transaction_commit */
  gboolean ok = transaction_begin (&transaction, publisher, pg, error)
                && transaction_flush (&transaction, error) && pg_commit (pg, error);
  if (ok)
    removed (publisher, transaction.sent);
  else
    keep_sent (publisher, transaction.sent);
  return ok;
}
