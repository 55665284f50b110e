#include "engine/publish.h"

#include "avro/message.h"
#include "base/clock.h"
#include "base/fault.h"
#include "engine/envelope.h"

#include <pthread.h>
#include <string.h>

#define SEND_TIMEOUT_MS 30000
/* One message: topic, partition, key, type, ce_id, value. The other headers are the same for all and added when it is sent. */
#define STORED_TYPE "(xa(sisssay))"

struct _Bundle {
  char *run_id, *job;
  int step;
  guint slot;
  gint64 time_us;
  GVariantBuilder *stored; /* NULL once sealed */
  GVariant *sealed;
  guint size;
  GPtrArray *messages;     /* of KafkaMessage, made when first sent */
  KafkaSending *sending;   /* begun, not ended */
  char *name;              /* in flight under this name; NULL: not stored */
};

struct _Publisher {
  KafkaProducer *producer;
  char *prefix;
  pthread_mutex_t lock;
  GHashTable *in_flight; /* names of bundles stored and not yet removed */
  GPtrArray *sent;       /* names of bundles whose rows may go */
};

Bundle *
bundle_new (const char *run_id, int step, const char *job, guint slot)
{
  Bundle *bundle = g_new0 (Bundle, 1);
  bundle->run_id = g_strdup (run_id);
  bundle->step = step;
  bundle->job = g_strdup (job);
  bundle->slot = slot;
  bundle->time_us = clock_now_us ();
  bundle->stored = g_variant_builder_new (G_VARIANT_TYPE ("a(sisssay)"));
  return bundle;
}

void
bundle_name (Bundle *bundle, const char *run_id, int step, guint slot)
{
  g_free (bundle->run_id);
  bundle->run_id = g_strdup (run_id);
  bundle->step = step;
  bundle->slot = slot;
}

void
bundle_free (Bundle *bundle)
{
  if (bundle == NULL)
    return;
  g_clear_pointer (&bundle->stored, g_variant_builder_unref);
  g_clear_pointer (&bundle->sealed, g_variant_unref);
  g_clear_pointer (&bundle->sending, kafka_sending_drop);
  g_clear_pointer (&bundle->messages, g_ptr_array_unref);
  g_free (bundle->run_id);
  g_free (bundle->job);
  g_free (bundle->name);
  g_free (bundle);
}

guint
bundle_size (const Bundle *bundle)
{
  return bundle->size;
}

void
bundle_add (Bundle *bundle, const char *topic, gint32 partition, const char *key, const char *type,
            const char *ce_id, const char *const *fields)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) value = g_byte_array_sized_new (160);
  if (!message_encode_texts (type, fields, value, &error))
    g_error ("%s", error->message);
  GVariant *bytes = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, value->data, value->len, 1);
  g_variant_builder_add (bundle->stored, "(sisss@ay)", topic, partition, key, type, ce_id, bytes);
  bundle->size++;
}

static GVariant *
bundle_sealed (Bundle *bundle)
{
  if (bundle->sealed == NULL)
    {
      GVariant *list = g_variant_builder_end (bundle->stored);
      bundle->sealed = g_variant_ref_sink (g_variant_new ("(x@a(sisssay))", bundle->time_us, list));
      g_clear_pointer (&bundle->stored, g_variant_builder_unref);
    }
  return bundle->sealed;
}

Publisher *
publisher_new (KafkaProducer *producer, const char *prefix)
{
  Publisher *publisher = g_new0 (Publisher, 1);
  publisher->producer = producer;
  publisher->prefix = g_strdup (prefix);
  publisher->in_flight = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  publisher->sent = g_ptr_array_new_with_free_func (g_free);
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
  pthread_mutex_destroy (&publisher->lock);
  g_free (publisher->prefix);
  g_free (publisher);
}

char *
publisher_topic (const Publisher *publisher, const char *name)
{
  return g_strconcat (publisher->prefix, ".", name, NULL);
}

static GPtrArray *
messages_from (const Publisher *publisher, GVariant *sealed)
{
  GPtrArray *messages = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  gint64 time_us;
  g_autoptr (GVariantIter) iter = NULL;
  g_variant_get (sealed, STORED_TYPE, &time_us, &iter);
  const char *topic, *key, *type, *ce_id;
  gint32 partition;
  GVariant *value;
  while (g_variant_iter_next (iter, "(&si&s&s&s@ay)", &topic, &partition, &key, &type, &ce_id, &value))
    {
      KafkaMessage *message = kafka_message_new (topic, partition);
      kafka_message_set_key (message, key);
      gsize len;
      const guint8 *data = g_variant_get_fixed_array (value, &len, 1);
      GByteArray *bytes = g_byte_array_sized_new ((guint)len);
      g_byte_array_append (bytes, data, (guint)len);
      kafka_message_take_value (message, bytes);
      g_variant_unref (value);
      envelope_add (message, publisher->prefix, type, ce_id, time_us);
      g_ptr_array_add (messages, message);
    }
  return messages;
}

static char *
hex_of (GVariant *sealed)
{
  static const char digits[] = "0123456789abcdef";
  gsize len = g_variant_get_size (sealed);
  const guint8 *data = g_variant_get_data (sealed);
  char *hex = g_malloc (2 * len + 3), *p = hex;
  *p++ = '\\';
  *p++ = 'x';
  for (gsize i = 0; i < len; i++)
    {
      *p++ = digits[data[i] >> 4];
      *p++ = digits[data[i] & 15];
    }
  *p = '\0';
  return hex;
}

static char *
name_of (const char *run_id, int step)
{
  return g_strdup_printf ("%s/%d", run_id, step);
}

gboolean
publisher_store (Publisher *publisher, Pg *pg, Bundle *bundle, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", bundle->run_id);
  pg_values_int (values, "step", bundle->step);
  pg_values_set (values, "job", bundle->job);
  pg_values_int (values, "slot", bundle->slot);
  pg_values_take (values, "messages", hex_of (bundle_sealed (bundle)));
  bundle->name = name_of (bundle->run_id, bundle->step);
  pthread_mutex_lock (&publisher->lock);
  g_hash_table_add (publisher->in_flight, g_strdup (bundle->name));
  pthread_mutex_unlock (&publisher->lock);
  g_autoptr (PgRows) rows = pg_run_file (pg, "src/engine/sql/outbox_put.sql", values, error);
  return rows != NULL;
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

gboolean
publisher_send_messages (Publisher *publisher, GPtrArray *messages, const volatile gint *stop, GError **error)
{
  return messages->len == 0 || kafka_publish (publisher->producer, messages, SEND_TIMEOUT_MS, stop, error);
}

gboolean
publisher_send_plain (Publisher *publisher, Bundle *bundle, const volatile gint *stop, GError **error)
{
  if (bundle->size == 0)
    return TRUE;
  if (bundle->messages == NULL)
    bundle->messages = messages_from (publisher, bundle_sealed (bundle));
  if (bundle->sending != NULL)
    return kafka_publish_end (publisher->producer, g_steal_pointer (&bundle->sending), bundle->messages, SEND_TIMEOUT_MS, stop,
                              error);
  return publisher_send_messages (publisher, bundle->messages, stop, error);
}

static void
note_sent (Publisher *publisher, const char *name)
{
  pthread_mutex_lock (&publisher->lock);
  g_ptr_array_add (publisher->sent, g_strdup (name));
  pthread_mutex_unlock (&publisher->lock);
}

void
publisher_begin (Publisher *publisher, Bundle *bundle, GDestroyNotify done, gpointer data)
{
  FAULT ("publish.before");
  bundle->messages = messages_from (publisher, bundle_sealed (bundle));
  bundle->sending = kafka_publish_begin (publisher->producer, bundle->messages, done, data);
}

gboolean
publisher_send (Publisher *publisher, Bundle *bundle, const volatile gint *stop, GError **error)
{
  if (bundle->sending == NULL)
    FAULT ("publish.before");
  if (!publisher_send_plain (publisher, bundle, stop, error))
    return FALSE;
  FAULT ("publish.after_acknowledgement");
  if (bundle->name != NULL)
    note_sent (publisher, bundle->name);
  return TRUE;
}

gboolean
publisher_remove_sent (Publisher *publisher, Pg *pg, GPtrArray **riding, GError **error)
{
  *riding = NULL;
  pthread_mutex_lock (&publisher->lock);
  if (publisher->sent->len > 0)
    {
      *riding = publisher->sent;
      publisher->sent = g_ptr_array_new_with_free_func (g_free);
    }
  pthread_mutex_unlock (&publisher->lock);
  if (*riding == NULL)
    return TRUE;
  GString *run_ids = array_new (), *steps = array_new ();
  for (guint i = 0; i < (*riding)->len; i++)
    {
      const char *name = (*riding)->pdata[i];
      const char *slash = strchr (name, '/');
      g_autofree char *run_id = g_strndup (name, slash - name);
      array_add (run_ids, run_id);
      array_add (steps, slash + 1);
    }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (run_ids));
  pg_values_take (values, "step", array_take (steps));
  return pg_queue (pg, pg_statement ("src/engine/sql/outbox_remove.sql"), values, error);
}

void
publisher_removed (Publisher *publisher, GPtrArray *riding)
{
  if (riding == NULL)
    return;
  pthread_mutex_lock (&publisher->lock);
  for (guint i = 0; i < riding->len; i++)
    g_hash_table_remove (publisher->in_flight, riding->pdata[i]);
  pthread_mutex_unlock (&publisher->lock);
  g_ptr_array_unref (riding);
}

void
publisher_keep (Publisher *publisher, GPtrArray *riding)
{
  if (riding == NULL)
    return;
  pthread_mutex_lock (&publisher->lock);
  for (guint i = 0; i < riding->len; i++)
    g_ptr_array_add (publisher->sent, g_strdup (riding->pdata[i]));
  pthread_mutex_unlock (&publisher->lock);
  g_ptr_array_unref (riding);
}

gboolean
publisher_owes (Publisher *publisher)
{
  pthread_mutex_lock (&publisher->lock);
  gboolean owes = publisher->sent->len > 0;
  pthread_mutex_unlock (&publisher->lock);
  return owes;
}

gboolean
publisher_send_left (Publisher *publisher, const char *run_id, int step, const char *messages_base64,
                     const volatile gint *stop, GError **error)
{
  g_autofree char *name = name_of (run_id, step);
  pthread_mutex_lock (&publisher->lock);
  gboolean ours = g_hash_table_contains (publisher->in_flight, name);
  if (!ours)
    g_hash_table_add (publisher->in_flight, g_strdup (name));
  pthread_mutex_unlock (&publisher->lock);
  if (ours)
    return FALSE;
  gsize len;
  guchar *data = g_base64_decode (messages_base64, &len);
  g_autoptr (GVariant) sealed = g_variant_ref_sink (
      g_variant_new_from_data (G_VARIANT_TYPE (STORED_TYPE), data, len, FALSE, g_free, data));
  g_autoptr (GPtrArray) messages = messages_from (publisher, sealed);
  if (!publisher_send_messages (publisher, messages, stop, error))
    {
      pthread_mutex_lock (&publisher->lock);
      g_hash_table_remove (publisher->in_flight, name);
      pthread_mutex_unlock (&publisher->lock);
      return FALSE;
    }
  note_sent (publisher, name);
  return TRUE;
}
