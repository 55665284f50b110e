#include "kafka/admin.h"
#include "base/clock.h"
#include "kafka/client.h"

#define REQUEST_MS 20000
#define VISIBLE_WITHIN_US (20 * G_USEC_PER_SEC)
#define LOOK_EVERY_US (20 * 1000)

struct _KafkaAdmin {
  rd_kafka_t *rk;
  char *refused; /* why the broker does not let us in; NULL: it does, or is not there */
};

/* Thread: who polls. */
static void
on_error (rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
  KafkaAdmin *self = opaque;
  if (err == RD_KAFKA_RESP_ERR__AUTHENTICATION && self->refused == NULL)
    self->refused = g_strdup (reason);
}

KafkaAdmin *
kafka_admin_new (const char *const *settings, GError **error)
{
  /* A consumer, since only those can be told not to make a topic by asking for it. */
  static const char *const fixed[] = { "allow.auto.create.topics", "false", NULL };
  static const char *const wanted[] = { "topic.metadata.propagation.max.ms", "0", NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, fixed, error);
  if (conf == NULL)
    return NULL;
  KafkaAdmin *self = g_new0 (KafkaAdmin, 1);
  rd_kafka_conf_set_opaque (conf, self);
  rd_kafka_conf_set_error_cb (conf, on_error);
  self->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  if (self->rk == NULL)
    g_clear_pointer (&self, g_free);
  return self;
}

void
kafka_admin_free (KafkaAdmin *self)
{
  if (self == NULL)
    return;
  rd_kafka_destroy (self->rk);
  g_free (self->refused);
  g_free (self);
}

/* --- looking
 * ----------------------------------------------------------------------------------------- */

static gboolean
is_missing (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

static gboolean
fail_topic (KafkaAdmin *self, rd_kafka_resp_err_t err, const char *topic, GError **error)
{
  g_autofree char *where = kafka_where (self->rk);
  (void)rd_kafka_poll (self->rk, 0); /* it tells why */
  if (self->refused != NULL)
    g_set_error (
        error, PRUNED_ERROR, PRUNED_OUTAGE,
        "%s does not let us in: %s; check sasl.mechanism, sasl.username and sasl.password in [kafka]",
        where, self->refused);
  else
    kafka_set_error (error, err, "%s: cannot look at topic %s", where, topic);
  return FALSE;
}

static gboolean
will_pass (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
         || err == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
}

static gboolean
has_leaders (const rd_kafka_metadata_topic_t *topic)
{
  for (int i = 0; i < topic->partition_cnt; i++)
    if (topic->partitions[i].leader < 0)
      return FALSE;
  return TRUE;
}

/* What is amiss with it. */
static rd_kafka_resp_err_t
take_topic (const rd_kafka_metadata_t *metadata, KafkaTopic *topic)
{
  rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  topic->partitions = -1;
  for (int i = 0; i < metadata->topic_cnt; i++) {
    const rd_kafka_metadata_topic_t *said = &metadata->topics[i];
    if (!g_str_equal (said->topic, topic->name))
      continue;
    err = said->err;
    if (err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      topic->partitions = said->partition_cnt;
      err = has_leaders (said) ? err : RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    }
  }
  topic->trouble
      = err == RD_KAFKA_RESP_ERR_NO_ERROR || is_missing (err) ? NULL : rd_kafka_err2str (err);
  return err;
}

/* *PASSING: a topic is in trouble that passes; with LEADERS also one of which it is known that it
 * is there. */
static rd_kafka_resp_err_t
ask (KafkaAdmin *self, KafkaTopic *topics, guint n, int timeout_ms, gboolean leaders,
     gboolean *passing)
{
  const rd_kafka_metadata_t *metadata;
  rd_kafka_resp_err_t err = rd_kafka_metadata (self->rk, FALSE, NULL, &metadata, timeout_ms);
  *passing = FALSE;
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
    return err;
  for (guint i = 0; i < n; i++) {
    rd_kafka_resp_err_t amiss = take_topic (metadata, &topics[i]);
    *passing |= will_pass (amiss) && (leaders || topics[i].partitions < 0);
  }
  rd_kafka_metadata_destroy (metadata);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* The client asks for those topics that it has handles of: one request, whatever else the cluster
 * has. */
static gboolean
look (KafkaAdmin *self, KafkaTopic *topics, guint n, int timeout_ms, gboolean leaders,
      GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  gboolean passing;
  g_autoptr (GPtrArray) handles
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_topic_destroy);
  for (guint i = 0; i < n; i++) {
    rd_kafka_topic_t *handle = rd_kafka_topic_new (self->rk, topics[i].name, NULL);
    if (handle == NULL)
      return fail_topic (self, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, topics[i].name, error);
    g_ptr_array_add (handles, handle);
  }
  if (n == 0)
    return TRUE;
  rd_kafka_resp_err_t err = ask (self, topics, n, timeout_ms, leaders, &passing);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
    return fail_topic (self, err, topics[0].name, error);
  while (passing && clock_monotonic_us () < deadline_us) {
    g_usleep (LOOK_EVERY_US);
    int left_ms = (int)MAX ((deadline_us - clock_monotonic_us ()) / 1000, 1);
    if (ask (self, topics, n, left_ms, leaders, &passing) != RD_KAFKA_RESP_ERR_NO_ERROR)
      break; /* what was said before holds */
  }
  return TRUE;
}

gboolean
kafka_admin_look (KafkaAdmin *self, KafkaTopic *topics, guint n, int timeout_ms, GError **error)
{
  return look (self, topics, n, timeout_ms, TRUE, error);
}

gboolean
kafka_admin_describe (KafkaAdmin *self, KafkaTopic *topics, guint n, int timeout_ms, GError **error)
{
  if (!look (self, topics, n, timeout_ms, FALSE, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (topics[i].partitions < 0 && topics[i].trouble != NULL) {
      g_autofree char *where = kafka_where (self->rk);
      g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s: cannot look at topic %s: %s", where,
                   topics[i].name, topics[i].trouble);
      return FALSE;
    }
  return TRUE;
}

char *
kafka_admin_cluster_id (KafkaAdmin *self, int timeout_ms, GError **error)
{
  char *id = rd_kafka_clusterid (self->rk, timeout_ms);
  if (id == NULL) {
    g_autofree char *where = kafka_where (self->rk);
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s: no answer within %d ms", where,
                 timeout_ms);
    return NULL;
  }
  char *copy = g_strdup (id);
  rd_kafka_mem_free (self->rk, id);
  return copy;
}

/* --- making
 * ------------------------------------------------------------------------------------------ */

/* What the broker said of the topics that were asked for; the first that it refused is told. */
static gboolean
check_result (KafkaAdmin *self, rd_kafka_event_t *event,
              const rd_kafka_topic_result_t *const *results, gsize n, const char *verb,
              GError **error)
{
  rd_kafka_resp_err_t err = rd_kafka_event_error (event);
  const char *words = rd_kafka_event_error_string (event), *name = "";
  gboolean answered = err == RD_KAFKA_RESP_ERR_NO_ERROR;
  for (gsize i = 0; i < n && err == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
    err = rd_kafka_topic_result_error (results[i]);
    if (err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
      err = RD_KAFKA_RESP_ERR_NO_ERROR;
    words = rd_kafka_topic_result_error_string (results[i]);
    name = rd_kafka_topic_result_name (results[i]);
  }
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    return TRUE;
  g_autofree char *where = kafka_where (self->rk);
  g_set_error (error, PRUNED_ERROR, answered ? PRUNED_REJECT : PRUNED_OUTAGE,
               "%s: cannot %s topic %s: %s", where, verb, name,
               words != NULL ? words : rd_kafka_err2str (err));
  return FALSE;
}

static rd_kafka_AdminOptions_t *
options_for (KafkaAdmin *self, rd_kafka_admin_op_t operation)
{
  rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new (self->rk, operation);
  rd_kafka_AdminOptions_set_request_timeout (options, REQUEST_MS, NULL, 0);
  rd_kafka_AdminOptions_set_operation_timeout (options, REQUEST_MS, NULL, 0);
  return options;
}

/* The controller has said yes; a broker learns of it later. */
static gboolean
await_visible (KafkaAdmin *self, const char *name, gint32 partitions, GError **error)
{
  KafkaTopic topic = { (char *)name, -1 };
  gint64 deadline_us = clock_monotonic_us () + VISIBLE_WITHIN_US;
  for (;;) {
    if (!kafka_admin_describe (self, &topic, 1, REQUEST_MS, error))
      return FALSE;
    if (topic.partitions >= partitions)
      return TRUE;
    if (clock_monotonic_us () > deadline_us)
      break;
    g_usleep (LOOK_EVERY_US);
  }
  g_autofree char *where = kafka_where (self->rk);
  g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE,
               "%s: topic %s was made, but its partitions do not show", where, name);
  return FALSE;
}

static gboolean
await_created (KafkaAdmin *self, rd_kafka_NewTopic_t **wanted, guint n_wanted, GError **error)
{
  rd_kafka_AdminOptions_t *options = options_for (self, RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (self->rk);
  rd_kafka_CreateTopics (self->rk, wanted, n_wanted, options, queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll (queue, -1); /* comes: the request has a time-out */
  gsize n = 0;
  const rd_kafka_topic_result_t **results
      = rd_kafka_CreateTopics_result_topics (rd_kafka_event_CreateTopics_result (event), &n);
  gboolean done = check_result (self, event, results, n, "make", error);
  rd_kafka_event_destroy (event);
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
  return done;
}

static rd_kafka_NewTopic_t *
new_topic (const KafkaNewTopic *topic, GError **error)
{
  char why[512] = "";
  rd_kafka_NewTopic_t *wanted
      = rd_kafka_NewTopic_new (topic->name, topic->partitions, -1, why, sizeof why);
  if (wanted == NULL) {
    g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "cannot make topic %s: %s", topic->name, why);
    return NULL;
  }
  for (guint i = 0; topic->configs != NULL && topic->configs[i] != NULL; i += 2)
    rd_kafka_NewTopic_set_config (wanted, topic->configs[i], topic->configs[i + 1]);
  return wanted;
}

gboolean
kafka_admin_create (KafkaAdmin *self, const KafkaNewTopic *topics, guint n, GError **error)
{
  g_autoptr (GPtrArray) wanted
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_NewTopic_destroy);
  for (guint i = 0; i < n; i++) {
    rd_kafka_NewTopic_t *one = new_topic (&topics[i], error);
    if (one == NULL)
      return FALSE;
    g_ptr_array_add (wanted, one);
  }
  if (n > 0 && !await_created (self, (rd_kafka_NewTopic_t **)wanted->pdata, n, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!await_visible (self, topics[i].name, 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
await_grown (KafkaAdmin *self, rd_kafka_NewPartitions_t *wanted, GError **error)
{
  rd_kafka_AdminOptions_t *options = options_for (self, RD_KAFKA_ADMIN_OP_CREATEPARTITIONS);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (self->rk);
  rd_kafka_CreatePartitions (self->rk, &wanted, 1, options, queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll (queue, -1);
  gsize n = 0;
  const rd_kafka_topic_result_t **results = rd_kafka_CreatePartitions_result_topics (
      rd_kafka_event_CreatePartitions_result (event), &n);
  gboolean done = check_result (self, event, results, n, "grow", error);
  rd_kafka_event_destroy (event);
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
  return done;
}

gboolean
kafka_admin_grow (KafkaAdmin *self, const char *topic, gint32 partitions, GError **error)
{
  char why[512] = "";
  rd_kafka_NewPartitions_t *wanted
      = rd_kafka_NewPartitions_new (topic, partitions, why, sizeof why);
  if (wanted == NULL) {
    g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "cannot grow topic %s: %s", topic, why);
    return FALSE;
  }
  gboolean done = await_grown (self, wanted, error);
  rd_kafka_NewPartitions_destroy (wanted);
  return done && await_visible (self, topic, partitions, error);
}

gboolean
kafka_admin_remove (KafkaAdmin *self, const char *topic, GError **error)
{
  rd_kafka_DeleteTopic_t *unwanted = rd_kafka_DeleteTopic_new (topic);
  rd_kafka_AdminOptions_t *options = options_for (self, RD_KAFKA_ADMIN_OP_DELETETOPICS);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (self->rk);
  rd_kafka_DeleteTopics (self->rk, &unwanted, 1, options, queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll (queue, -1);
  gsize n = 0;
  const rd_kafka_topic_result_t **results
      = rd_kafka_DeleteTopics_result_topics (rd_kafka_event_DeleteTopics_result (event), &n);
  gboolean done = check_result (self, event, results, n, "remove", error);
  rd_kafka_event_destroy (event);
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
  rd_kafka_DeleteTopic_destroy (unwanted);
  return done;
}
