/* Topics are made, grown and removed: requests to the controller, which answers for each topic. */
#include "kafka/admin_private.h"

#include "base/clock.h"

#define REQUEST_MS 20000
#define VISIBLE_WITHIN_US (60 * G_USEC_PER_SEC)
#define LOOK_EVERY_US (20 * 1000)

typedef struct {
  KafkaAdmin *admin;
  const char *verb; /* for errors: "create" */
  rd_kafka_AdminOptions_t *options;
  rd_kafka_queue_t *queue;
  rd_kafka_event_t *event; /* the answer */
} Request;

static Request
request_new (KafkaAdmin *admin, const char *verb, rd_kafka_admin_op_t operation)
{
  Request request = { admin, verb, rd_kafka_AdminOptions_new (admin->rk, operation),
                      rd_kafka_queue_new (admin->rk) };
  rd_kafka_AdminOptions_set_request_timeout (request.options, REQUEST_MS, NULL, 0);
  rd_kafka_AdminOptions_set_operation_timeout (request.options, REQUEST_MS, NULL, 0);
  return request;
}

static rd_kafka_event_t *
request_await (Request *request)
{
  /* returns in any case: the request has a time-out */
  return request->event = rd_kafka_queue_poll (request->queue, -1);
}

static void
request_clear (Request *request)
{
  rd_kafka_event_destroy (request->event);
  rd_kafka_queue_destroy (request->queue);
  rd_kafka_AdminOptions_destroy (request->options);
}

/* A broker that did not manage it in time may have done it, or may do it the next time. So may one
 * that is no longer the controller. */
static PrunedVerdict
verdict_of_topic (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT || err == RD_KAFKA_RESP_ERR_NOT_CONTROLLER
             ? PRUNED_OUTAGE
             : PRUNED_REJECT;
}

/* Checks the broker's result for each topic; the error names the first that was not done. Clears
 * REQUEST. */
static gboolean
request_end (Request *request, const rd_kafka_topic_result_t *const *results, gsize n,
             GError **error)
{
  rd_kafka_resp_err_t err = rd_kafka_event_error (request->event);
  const char *words = rd_kafka_event_error_string (request->event), *name = "";
  gboolean answered = err == RD_KAFKA_RESP_ERR_NO_ERROR;
  for (gsize i = 0; i < n && err == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
    err = rd_kafka_topic_result_error (results[i]);
    if (err == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
      err = RD_KAFKA_RESP_ERR_NO_ERROR;
    words = rd_kafka_topic_result_error_string (results[i]);
    name = rd_kafka_topic_result_name (results[i]);
  }
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    g_autofree char *where = kafka_where (request->admin->rk);
    g_set_error (error, PRUNED_ERROR, answered ? verdict_of_topic (err) : PRUNED_OUTAGE,
                 "%s: cannot %s topic %s: %s", where, request->verb, name,
                 words != NULL ? words : rd_kafka_err2str (err));
  }
  request_clear (request);
  return err == RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* The controller has confirmed it, but other brokers learn of it later. */
static gboolean
await_visible (KafkaAdmin *admin, const char *name, gint32 partitions, GError **error)
{
  KafkaTopic topic = { (char *)name, -1 };
  gint64 deadline_us = clock_monotonic_us () + VISIBLE_WITHIN_US;
  for (;;) {
    if (!kafka_admin_describe (admin, &topic, 1, REQUEST_MS, error))
      return FALSE;
    if (topic.partitions >= partitions)
      return TRUE;
    if (clock_monotonic_us () > deadline_us)
      break;
    g_usleep (LOOK_EVERY_US);
  }
  g_autofree char *where = kafka_where (admin->rk);
  return error_set (error, PRUNED_OUTAGE,
                    "%s: topic %s was created, but its partitions are not visible", where, name);
}

static gboolean
create (KafkaAdmin *admin, rd_kafka_NewTopic_t **wanted, guint n_wanted, GError **error)
{
  gsize n = 0;
  Request request = request_new (admin, "create", RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_CreateTopics (admin->rk, wanted, n_wanted, request.options, request.queue);
  const rd_kafka_CreateTopics_result_t *result
      = rd_kafka_event_CreateTopics_result (request_await (&request));
  const rd_kafka_topic_result_t **results = rd_kafka_CreateTopics_result_topics (result, &n);
  return request_end (&request, results, n, error);
}

static rd_kafka_NewTopic_t *
new_topic (const KafkaNewTopic *topic, GError **error)
{
  char why[512] = "";
  rd_kafka_NewTopic_t *wanted
      = rd_kafka_NewTopic_new (topic->name, topic->partitions, -1, why, sizeof why);
  if (wanted == NULL)
    return error_null (error, PRUNED_REJECT, "cannot create topic %s: %s", topic->name, why);
  for (guint i = 0; topic->configs != NULL && topic->configs[i] != NULL; i += 2)
    rd_kafka_NewTopic_set_config (wanted, topic->configs[i], topic->configs[i + 1]);
  return wanted;
}

gboolean
kafka_admin_create (KafkaAdmin *admin, const KafkaNewTopic *topics, guint n, GError **error)
{
  g_autoptr (GPtrArray) wanted
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_NewTopic_destroy);
  for (guint i = 0; i < n; i++) {
    rd_kafka_NewTopic_t *one = new_topic (&topics[i], error);
    if (one == NULL)
      return FALSE;
    g_ptr_array_add (wanted, one);
  }
  if (n > 0 && !create (admin, (rd_kafka_NewTopic_t **)wanted->pdata, n, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!await_visible (admin, topics[i].name, 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
grow (KafkaAdmin *admin, rd_kafka_NewPartitions_t *wanted, GError **error)
{
  gsize n = 0;
  Request request = request_new (admin, "grow", RD_KAFKA_ADMIN_OP_CREATEPARTITIONS);
  rd_kafka_CreatePartitions (admin->rk, &wanted, 1, request.options, request.queue);
  const rd_kafka_CreatePartitions_result_t *result
      = rd_kafka_event_CreatePartitions_result (request_await (&request));
  const rd_kafka_topic_result_t **results = rd_kafka_CreatePartitions_result_topics (result, &n);
  return request_end (&request, results, n, error);
}

gboolean
kafka_admin_grow (KafkaAdmin *admin, const char *topic, gint32 partitions, GError **error)
{
  char why[512] = "";
  rd_kafka_NewPartitions_t *wanted
      = rd_kafka_NewPartitions_new (topic, partitions, why, sizeof why);
  if (wanted == NULL)
    return error_reject (error, "cannot add partitions to topic %s: %s", topic, why);
  gboolean done = grow (admin, wanted, error);
  rd_kafka_NewPartitions_destroy (wanted);
  return done && await_visible (admin, topic, partitions, error);
}

gboolean
kafka_admin_remove (KafkaAdmin *admin, const char *topic, GError **error)
{
  gsize n = 0;
  rd_kafka_DeleteTopic_t *unwanted = rd_kafka_DeleteTopic_new (topic);
  Request request = request_new (admin, "remove", RD_KAFKA_ADMIN_OP_DELETETOPICS);
  rd_kafka_DeleteTopics (admin->rk, &unwanted, 1, request.options, request.queue);
  const rd_kafka_DeleteTopics_result_t *result
      = rd_kafka_event_DeleteTopics_result (request_await (&request));
  const rd_kafka_topic_result_t **results = rd_kafka_DeleteTopics_result_topics (result, &n);
  gboolean done = request_end (&request, results, n, error);
  rd_kafka_DeleteTopic_destroy (unwanted);
  return done;
}
