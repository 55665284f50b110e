#include "kafka/rights.h"

#include "base/clock.h"
#include "kafka/client.h"

#define SERVE_MS 50
#define NO_PARTITION G_MAXINT32
#define NOBODYS_ACKS "2"
#define SESSION_MS                                                                                 \
  "10000" /* so long librdkafka waits for a coordinator, also when it is to end                    \
           */

typedef struct {
  KafkaRights *rights;
  guint n;
  gint64 deadline_us; /* of a step */
  KafkaRightsMore *more;
  guint unanswered;           /* write: messages without a report */
  gboolean refuses;           /* write: the broker refuses a message as it should */
  gboolean replied;           /* read */
  rd_kafka_resp_err_t failed; /* another error */
} Ask;

/* Whether RIGHT of ONE must be asked for. */
static gboolean
is_asked (const KafkaRights *one, KafkaRight right)
{
  return (one->wanted & right) && (!one->hidden || right == KAFKA_DESCRIBE_CONFIGS);
}

static void
deny (Ask *ask, const char *topic, KafkaRight right, rd_kafka_resp_err_t err)
{
  for (guint i = 0; i < ask->n && err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED; i++)
    if (g_str_equal (ask->rights[i].topic, topic))
      ask->rights[i].denied |= right;
}

static int
left_ms (const Ask *ask)
{
  return (int)MAX ((ask->deadline_us - clock_monotonic_us ()) / 1000, 1);
}

static gboolean
is_late (const Ask *ask)
{
  return clock_monotonic_us () >= ask->deadline_us;
}

static gboolean
fail (rd_kafka_resp_err_t err, GError **error)
{
  return error_reject (error, "cannot find out what Kafka denies: %s", rd_kafka_err2str (err));
}

/* A report of librdkafka about a message of ask_writes. */
static void
on_report (rd_kafka_t *rk, const rd_kafka_message_t *raw, void *opaque)
{
  Ask *ask = opaque;
  ask->unanswered--;
  ask->more->writes_unknown |= raw->err == RD_KAFKA_RESP_ERR_NO_ERROR;
  ask->refuses |= raw->err == RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS;
  deny (ask, rd_kafka_topic_name (raw->rkt), KAFKA_WRITE, raw->err);
  if (raw->err != RD_KAFKA_RESP_ERR_NO_ERROR
      && raw->err != RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
      && raw->err != RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS)
    ask->failed = raw->err;
}

/* WITH overrides SETTINGS, which override WANTED. */
static rd_kafka_t *
open_client (rd_kafka_type_t type, const char *const *settings, const char *const *wanted,
             const char *const *with, Ask *ask, GError **error)
{
  char why[256];
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, NULL, error);
  if (conf == NULL)
    return NULL;
  for (guint i = 0; with[i] != NULL; i += 2)
    (void)rd_kafka_conf_set (conf, with[i], with[i + 1], why, sizeof why);
  rd_kafka_conf_set_opaque (conf, ask);
  if (type == RD_KAFKA_PRODUCER)
    rd_kafka_conf_set_dr_msg_cb (conf, on_report);
  return kafka_client_new (type, conf, error);
}

/* --- Read --- */

static void
on_commit (rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *offsets,
           void *opaque)
{
  Ask *ask = opaque;
  ask->replied = TRUE;
  ask->more->group_denied |= err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
  for (int i = 0; offsets != NULL && i < offsets->cnt; i++) {
    ask->more->group_denied
        |= offsets->elems[i].err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
    deny (ask, offsets->elems[i].topic, KAFKA_READ, offsets->elems[i].err);
  }
}

/* Who may not even know of the group is refused when librdkafka looks for its coordinator. */
static void
look_at_group (rd_kafka_t *rk, Ask *ask)
{
  rd_kafka_message_t *said = rd_kafka_consumer_poll (rk, 0);
  if (said == NULL)
    return;
  if (said->err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED)
    ask->more->group_denied = ask->replied = TRUE;
  rd_kafka_message_destroy (said);
}

static gboolean
commit (rd_kafka_t *rk, Ask *ask, GError **error)
{
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new ((int)ask->n);
  for (guint i = 0; i < ask->n; i++)
    if (is_asked (&ask->rights[i], KAFKA_READ))
      rd_kafka_topic_partition_list_add (list, ask->rights[i].topic, NO_PARTITION)->offset = 0;
  rd_kafka_queue_t *queue = rd_kafka_queue_new (rk);
  rd_kafka_resp_err_t err = rd_kafka_commit_queue (rk, list, queue, on_commit, ask);
  while (err == RD_KAFKA_RESP_ERR_NO_ERROR && !ask->replied && !is_late (ask)) {
    rd_kafka_queue_poll_callback (queue, SERVE_MS);
    look_at_group (rk, ask);
  }
  rd_kafka_queue_destroy (queue);
  rd_kafka_topic_partition_list_destroy (list);
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR && !ask->replied)
    err = RD_KAFKA_RESP_ERR__TIMED_OUT;
  return err == RD_KAFKA_RESP_ERR_NO_ERROR || fail (err, error);
}

static gboolean
ask_reads (const char *const *settings, const char *group, Ask *ask, GError **error)
{
  const char *const wanted[] = { "group.id", group, NULL };
  static const char *const with[] = { "allow.auto.create.topics",
                                      "false",
                                      "enable.auto.commit",
                                      "false",
                                      "session.timeout.ms",
                                      SESSION_MS,
                                      NULL };
  rd_kafka_t *rk = open_client (RD_KAFKA_CONSUMER, settings, wanted, with, ask, error);
  if (rk == NULL)
    return FALSE;
  rd_kafka_poll_set_consumer (rk);
  gboolean said = commit (rk, ask, error);
  rd_kafka_destroy_flags (rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  return said;
}

/* --- Write --- */

/* Sends a message to TRIAL, or to each of the other topics. */
static gboolean
ask_some (rd_kafka_t *rk, Ask *ask, const char *trial, gboolean others, GError **error)
{
  for (guint i = 0; i < ask->n; i++)
    if (is_asked (&ask->rights[i], KAFKA_WRITE)
        && g_str_equal (ask->rights[i].topic, trial) == !others
        && rd_kafka_producev (rk, RD_KAFKA_V_TOPIC (ask->rights[i].topic), RD_KAFKA_V_PARTITION (0),
                              RD_KAFKA_V_KEY ("?", 1), RD_KAFKA_V_VALUE ("?", 1), RD_KAFKA_V_END)
               == RD_KAFKA_RESP_ERR_NO_ERROR)
      ask->unanswered++;
  while (ask->unanswered > 0 && !is_late (ask))
    rd_kafka_poll (rk, SERVE_MS);
  if (ask->unanswered > 0)
    return fail (RD_KAFKA_RESP_ERR__TIMED_OUT, error);
  return ask->failed == RD_KAFKA_RESP_ERR_NO_ERROR || fail (ask->failed, error);
}

static gboolean
ask_writes (const char *const *settings, const char *trial, Ask *ask, GError **error)
{
  static const char *const with[] = { "enable.idempotence",
                                      "false",
                                      "request.required.acks",
                                      NOBODYS_ACKS,
                                      "message.send.max.retries",
                                      "0",
                                      "linger.ms",
                                      "0",
                                      NULL };
  rd_kafka_t *rk = open_client (RD_KAFKA_PRODUCER, settings, NULL, with, ask, error);
  if (rk == NULL)
    return FALSE;
  gboolean said = ask_some (rk, ask, trial, FALSE, error)
                  && (!ask->refuses || ask_some (rk, ask, trial, TRUE, error));
  rd_kafka_purge (rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  rd_kafka_destroy (rk);
  return said;
}

/* --- DescribeConfigs --- */

static void
take_configs (Ask *ask, rd_kafka_event_t *event)
{
  gsize n = 0;
  ask->failed = rd_kafka_event_error (event);
  if (ask->failed != RD_KAFKA_RESP_ERR_NO_ERROR)
    return;
  const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources (
      rd_kafka_event_DescribeConfigs_result (event), &n);
  for (gsize i = 0; i < n; i++)
    deny (ask, rd_kafka_ConfigResource_name (resources[i]), KAFKA_DESCRIBE_CONFIGS,
          rd_kafka_ConfigResource_error (resources[i]));
}

static void
describe (rd_kafka_t *rk, Ask *ask)
{
  g_autoptr (GPtrArray) asked
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_ConfigResource_destroy);
  for (guint i = 0; i < ask->n; i++)
    if (is_asked (&ask->rights[i], KAFKA_DESCRIBE_CONFIGS))
      g_ptr_array_add (asked,
                       rd_kafka_ConfigResource_new (RD_KAFKA_RESOURCE_TOPIC, ask->rights[i].topic));
  rd_kafka_AdminOptions_t *options
      = rd_kafka_AdminOptions_new (rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_AdminOptions_set_request_timeout (options, left_ms (ask), NULL, 0);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (rk);
  rd_kafka_DescribeConfigs (rk, (rd_kafka_ConfigResource_t **)asked->pdata, asked->len, options,
                            queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll (queue, -1); /* the request has a time-out */
  take_configs (ask, event);
  rd_kafka_event_destroy (event);
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
}

static gboolean
ask_configs (const char *const *settings, Ask *ask, GError **error)
{
  static const char *const with[] = { "allow.auto.create.topics", "false", NULL };
  rd_kafka_t *rk = open_client (RD_KAFKA_CONSUMER, settings, NULL, with, ask, error);
  if (rk == NULL)
    return FALSE;
  describe (rk, ask);
  rd_kafka_destroy (rk);
  return ask->failed == RD_KAFKA_RESP_ERR_NO_ERROR || fail (ask->failed, error);
}

static gint64
within (int timeout_ms)
{
  return clock_monotonic_us () + (gint64)timeout_ms * 1000;
}

gboolean
kafka_rights_ask (const char *const *settings, const char *group, const char *trial,
                  KafkaRights *rights, guint n, int timeout_ms, KafkaRightsMore *more,
                  GError **error)
{
  for (guint i = 0; i < n; i++)
    rights[i].denied = rights[i].hidden ? rights[i].wanted & (KAFKA_READ | KAFKA_WRITE) : 0;
  *more = (KafkaRightsMore){ 0 };
  Ask ask = { rights, n, within (timeout_ms), more };
  gboolean read = ask_reads (settings, group, &ask, error);
  ask.deadline_us = within (timeout_ms);
  gboolean written = ask_writes (settings, trial, &ask, read ? error : NULL);
  ask.deadline_us = within (timeout_ms);
  gboolean described = ask_configs (settings, &ask, read && written ? error : NULL);
  return read && written && described;
}
