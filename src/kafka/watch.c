#include "kafka/watch.h"
#include "base/clock.h"
#include <stdatomic.h>
#include <string.h>

#define LOOK_EVERY_US G_USEC_PER_SEC
#define LOOK_MS 200
#define ON_BROKERS "brokers"
#define ON_GROUP "group"
#define ON_TOPIC "topic " /* followed by the topic's name */

struct _Watch {
  rd_kafka_t *rk;
  Trouble *trouble;
  _Atomic (char *)
      suspicion; /* why the brokers must be checked, or NULL; errors arrive on any thread */
  atomic_uint breaks;
  gint64 looked_us;
  GHashTable *optional; /* names of topics that need not be there */
};

Watch *
watch_new (rd_kafka_t *rk, Trouble *trouble)
{
  Watch *watch = g_new0 (Watch, 1);
  watch->rk = rk;
  watch->trouble = trouble;
  watch->optional = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return watch;
}

void
watch_free (Watch *watch)
{
  if (watch == NULL)
    return;
  g_hash_table_unref (watch->optional);
  g_free (atomic_load (&watch->suspicion));
  g_free (watch);
}

void
watch_suspect (Watch *watch, const char *reason)
{
  g_free (atomic_exchange (&watch->suspicion, g_strdup (reason)));
  atomic_fetch_add (&watch->breaks, 1);
}

guint
watch_breaks (Watch *watch)
{
  return atomic_load (&watch->breaks);
}

void
watch_optional (Watch *watch, const char *topic)
{
  g_hash_table_add (watch->optional, g_strdup (topic));
}

gboolean
watch_event (Watch *watch, const rd_kafka_message_t *raw)
{
  if (raw->err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return FALSE;
  if (raw->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART && raw->rkt != NULL
      && g_hash_table_contains (watch->optional, rd_kafka_topic_name (raw->rkt)))
    return TRUE;
  g_autofree char *subject = raw->rkt != NULL
                                 ? g_strconcat (ON_TOPIC, rd_kafka_topic_name (raw->rkt), NULL)
                                 : g_strdup (ON_GROUP);
  trouble_set (watch->trouble, subject, rd_kafka_message_errstr (raw));
  return TRUE;
}

void
watch_group (Watch *watch, const char *reason)
{
  if (reason != NULL)
    trouble_set (watch->trouble, ON_GROUP, reason);
  else
    trouble_clear (watch->trouble, ON_GROUP);
}

/* --- looking --- */

static gboolean
brokers_answer (Watch *watch)
{
  const struct rd_kafka_metadata *metadata = NULL;
  if (rd_kafka_metadata (watch->rk, FALSE, NULL, &metadata, LOOK_MS) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return FALSE;
  rd_kafka_metadata_destroy (metadata);
  return TRUE;
}

static gboolean
look_at_brokers (Watch *watch)
{
  g_autofree char *reason = atomic_exchange (&watch->suspicion, NULL);
  if (brokers_answer (watch)) {
    trouble_clear (watch->trouble, ON_BROKERS);
    return TRUE;
  }
  if (reason != NULL) {
    g_autofree char *where = kafka_where (watch->rk);
    g_autofree char *text = g_strdup_printf ("%s does not answer: %s", where, reason);
    trouble_set (watch->trouble, ON_BROKERS, text);
  }
  return FALSE;
}

static gboolean
topic_is_there (Watch *watch, const char *name)
{
  const struct rd_kafka_metadata *metadata = NULL;
  rd_kafka_topic_t *topic = rd_kafka_topic_new (watch->rk, name, NULL);
  gboolean there = topic != NULL
                   && rd_kafka_metadata (watch->rk, FALSE, topic, &metadata, LOOK_MS)
                          == RD_KAFKA_RESP_ERR_NO_ERROR
                   && metadata->topic_cnt == 1
                   && metadata->topics[0].err == RD_KAFKA_RESP_ERR_NO_ERROR;
  if (metadata != NULL)
    rd_kafka_metadata_destroy (metadata);
  if (topic != NULL)
    rd_kafka_topic_destroy (topic);
  return there;
}

static void
look_at_topics (Watch *watch)
{
  g_autoptr (GPtrArray) subjects = trouble_subjects (watch->trouble);
  for (guint i = 0; i < subjects->len; i++) {
    const char *subject = g_ptr_array_index (subjects, i);
    if (g_str_has_prefix (subject, ON_TOPIC) && topic_is_there (watch, subject + strlen (ON_TOPIC)))
      trouble_clear (watch->trouble, subject);
  }
}

void
watch_look (Watch *watch)
{
  gboolean needed = atomic_load (&watch->suspicion) != NULL || trouble_any (watch->trouble);
  if (!needed || clock_monotonic_us () - watch->looked_us < LOOK_EVERY_US)
    return;
  if (look_at_brokers (watch))
    look_at_topics (watch);
  watch->looked_us = clock_monotonic_us ();
}
