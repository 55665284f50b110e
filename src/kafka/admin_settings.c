/* Settings of topics that are there: what differs from what is wanted, and its change. */
#include "kafka/admin_settings.h"

#include "kafka/admin_private.h"

#define REQUEST_MS 10000

/* How long messages are kept, and in which pieces, is the operator's. */
static gboolean
is_compared (const char *name)
{
  return !g_str_equal (name, "retention.ms") && !g_str_equal (name, "segment.ms");
}

static gboolean
is_as_wanted (const char *name, const char *is, const char *wanted)
{
  if (g_str_equal (name, "max.message.bytes"))
    return g_ascii_strtoll (is, NULL, 10) >= g_ascii_strtoll (wanted, NULL, 10);
  return g_str_equal (is, wanted);
}

static const rd_kafka_ConfigEntry_t *
entry_of (const rd_kafka_ConfigResource_t *resource, const char *name)
{
  gsize n = 0;
  const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs (resource, &n);
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (rd_kafka_ConfigEntry_name (entries[i]), name))
      return entries[i];
  return NULL;
}

/* What setting I of TOPIC is instead of what is wanted; NULL: as wanted, or not shown. */
static const char *
other_than (const rd_kafka_ConfigResource_t *resource, const KafkaNewTopic *topic, guint i)
{
  const char *name = topic->configs[i];
  const rd_kafka_ConfigEntry_t *entry = is_compared (name) ? entry_of (resource, name) : NULL;
  const char *is = entry != NULL ? rd_kafka_ConfigEntry_value (entry) : NULL;
  return is != NULL && !is_as_wanted (name, is, topic->configs[i + 1]) ? is : NULL;
}

/* NULL: all is as wanted. */
static char *
differences (const rd_kafka_ConfigResource_t *resource, const KafkaNewTopic *topic)
{
  GString *words = g_string_new (NULL);
  for (guint i = 0; topic->configs[i] != NULL; i += 2) {
    const char *is = other_than (resource, topic, i);
    if (is != NULL)
      g_string_append_printf (words, "%s%s=%s instead of %s", words->len > 0 ? ", " : "",
                              topic->configs[i], is, topic->configs[i + 1]);
  }
  return g_string_free (words, words->len == 0);
}

static gboolean
is_changed (const rd_kafka_ConfigResource_t *resource, const KafkaNewTopic *topic, const char *name)
{
  for (guint i = 0; topic->configs[i] != NULL; i += 2)
    if (g_str_equal (topic->configs[i], name))
      return other_than (resource, topic, i) != NULL;
  return FALSE;
}

/* Kafka replaces all settings of a topic: those that somebody has set go along. */
static rd_kafka_ConfigResource_t *
wanted_of (const rd_kafka_ConfigResource_t *resource, const KafkaNewTopic *topic)
{
  gsize n = 0;
  const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs (resource, &n);
  rd_kafka_ConfigResource_t *wanted
      = rd_kafka_ConfigResource_new (RD_KAFKA_RESOURCE_TOPIC, topic->name);
  for (gsize i = 0; i < n; i++) {
    const char *name = rd_kafka_ConfigEntry_name (entries[i]),
               *value = rd_kafka_ConfigEntry_value (entries[i]);
    if (rd_kafka_ConfigEntry_source (entries[i]) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG
        && value != NULL && !is_changed (resource, topic, name))
      rd_kafka_ConfigResource_set_config (wanted, name, value);
  }
  for (guint i = 0; topic->configs[i] != NULL; i += 2)
    if (other_than (resource, topic, i) != NULL)
      rd_kafka_ConfigResource_set_config (wanted, topic->configs[i], topic->configs[i + 1]);
  return wanted;
}

static rd_kafka_event_t *
ask (KafkaAdmin *admin, rd_kafka_admin_op_t operation, rd_kafka_ConfigResource_t **resources,
     gsize n)
{
  rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new (admin->rk, operation);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (admin->rk);
  rd_kafka_AdminOptions_set_request_timeout (options, REQUEST_MS, NULL, 0);
  if (operation == RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS)
    rd_kafka_DescribeConfigs (admin->rk, resources, n, options, queue);
  else
    rd_kafka_AlterConfigs (admin->rk, resources, n, options, queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll (queue, -1); /* the request has a time-out */
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
  return event;
}

static gboolean
refuse (KafkaAdmin *admin, PrunedVerdict verdict, const char *verb, const char *topic,
        const char *why, GError **error)
{
  g_autofree char *where = kafka_where (admin->rk);
  g_set_error (error, PRUNED_ERROR, verdict, "%s: cannot %s settings of topic %s: %s", where, verb,
               topic, why);
  return FALSE;
}

static gboolean
alter (KafkaAdmin *admin, const KafkaNewTopic *topic, const rd_kafka_ConfigResource_t *resource,
       GError **error)
{
  gsize n = 0;
  rd_kafka_ConfigResource_t *wanted = wanted_of (resource, topic);
  rd_kafka_event_t *event = ask (admin, RD_KAFKA_ADMIN_OP_ALTERCONFIGS, &wanted, 1);
  const char *why = NULL;
  if (rd_kafka_event_error (event) != RD_KAFKA_RESP_ERR_NO_ERROR)
    why = rd_kafka_event_error_string (event);
  else {
    const rd_kafka_ConfigResource_t **done
        = rd_kafka_AlterConfigs_result_resources (rd_kafka_event_AlterConfigs_result (event), &n);
    if (n != 1 || rd_kafka_ConfigResource_error (done[0]) != RD_KAFKA_RESP_ERR_NO_ERROR)
      why = n != 1 ? "no answer" : rd_kafka_ConfigResource_error_string (done[0]);
  }
  gboolean changed = why == NULL || refuse (admin, PRUNED_DATA, "change", topic->name, why, error);
  rd_kafka_event_destroy (event);
  rd_kafka_ConfigResource_destroy (wanted);
  return changed;
}

/* WORDS of the topic that RESOURCE is about. */
static gboolean
settle_one (KafkaAdmin *admin, const rd_kafka_ConfigResource_t *resource,
            const KafkaNewTopic *topics, guint n, gboolean change, char **words, GError **error)
{
  const char *name = rd_kafka_ConfigResource_name (resource);
  if (rd_kafka_ConfigResource_error (resource) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return refuse (admin, PRUNED_REJECT, "read", name,
                   rd_kafka_ConfigResource_error_string (resource), error);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (topics[i].name, name)) {
      words[i] = differences (resource, &topics[i]);
      return words[i] == NULL || !change || alter (admin, &topics[i], resource, error);
    }
  return TRUE;
}

gboolean
kafka_admin_settle (KafkaAdmin *admin, const KafkaNewTopic *topics, guint n, gboolean change,
                    char **words, GError **error)
{
  gsize answered = 0;
  g_autoptr (GPtrArray) asked
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_ConfigResource_destroy);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (asked, rd_kafka_ConfigResource_new (RD_KAFKA_RESOURCE_TOPIC, topics[i].name));
  if (n == 0)
    return TRUE;
  rd_kafka_event_t *event = ask (admin, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS,
                                 (rd_kafka_ConfigResource_t **)asked->pdata, n);
  gboolean done = rd_kafka_event_error (event) == RD_KAFKA_RESP_ERR_NO_ERROR
                  || refuse (admin, PRUNED_REJECT, "read", topics[0].name,
                             rd_kafka_event_error_string (event), error);
  const rd_kafka_ConfigResource_t **resources
      = done ? rd_kafka_DescribeConfigs_result_resources (
                   rd_kafka_event_DescribeConfigs_result (event), &answered)
             : NULL;
  for (gsize i = 0; i < answered && done; i++)
    done = settle_one (admin, resources[i], topics, n, change, words, error);
  rd_kafka_event_destroy (event);
  return done;
}
