#include "kafka/admin_private.h"

#include "base/clock.h"

#define LOOK_EVERY_US (20 * 1000)

/* Thread: the one that polls. */
static void
on_error (rd_kafka_t *rk, int err, const char *reason, void *opaque)
{
  KafkaAdmin *admin = opaque;
  if (err == RD_KAFKA_RESP_ERR__AUTHENTICATION && admin->refused == NULL)
    admin->refused = g_strdup (reason);
}

KafkaAdmin *
kafka_admin_new (const char *const *settings, GError **error)
{
  /* A consumer: only for a consumer can the automatic creation of topics be switched off. */
  static const char *const fixed[] = { "allow.auto.create.topics", "false", NULL };
  static const char *const wanted[] = { "topic.metadata.propagation.max.ms", "0", NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, wanted, fixed, error);
  if (conf == NULL)
    return NULL;
  KafkaAdmin *admin = g_new0 (KafkaAdmin, 1);
  rd_kafka_conf_set_opaque (conf, admin);
  rd_kafka_conf_set_error_cb (conf, on_error);
  admin->rk = kafka_client_new (RD_KAFKA_CONSUMER, conf, error);
  if (admin->rk == NULL)
    g_clear_pointer (&admin, g_free);
  return admin;
}

void
kafka_admin_free (KafkaAdmin *admin)
{
  if (admin == NULL)
    return;
  rd_kafka_destroy (admin->rk);
  g_free (admin->refused);
  g_free (admin);
}

static gboolean
is_missing (rd_kafka_resp_err_t err)
{
  return err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

static gboolean
fail_topic (KafkaAdmin *admin, rd_kafka_resp_err_t err, const char *topic, GError **error)
{
  g_autofree char *where = kafka_where (admin->rk);
  (void)rd_kafka_poll (admin->rk, 0); /* calls on_error, which notes the reason */
  if (admin->refused != NULL)
    g_set_error (
        error, PRUNED_ERROR, PRUNED_OUTAGE,
        "%s refused to authenticate: %s; check sasl.mechanism, sasl.username and sasl.password in [kafka]",
        where, admin->refused);
  else
    kafka_set_error (error, err, "%s: cannot read metadata of topic %s", where, topic);
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

/* Fills in TOPIC from METADATA; returns its error. */
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
  topic->denied = err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  return err;
}

/* Asks once. *PASSING: some topic has an error that will pass. Unless LEADERS, only topics count
 * that are not known to exist. */
static rd_kafka_resp_err_t
ask (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms, gboolean leaders,
     gboolean *passing)
{
  const rd_kafka_metadata_t *metadata;
  rd_kafka_resp_err_t err = rd_kafka_metadata (admin->rk, FALSE, NULL, &metadata, timeout_ms);
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

/* The client requests metadata of the topics it has handles of. So one request is enough, and
 * covers no other topic of the cluster. */
static gboolean
look (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms, gboolean leaders,
      GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + (gint64)timeout_ms * 1000;
  gboolean passing;
  g_autoptr (GPtrArray) handles
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_topic_destroy);
  for (guint i = 0; i < n; i++) {
    rd_kafka_topic_t *handle = rd_kafka_topic_new (admin->rk, topics[i].name, NULL);
    if (handle == NULL)
      return fail_topic (admin, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, topics[i].name, error);
    g_ptr_array_add (handles, handle);
  }
  if (n == 0)
    return TRUE;
  rd_kafka_resp_err_t err = ask (admin, topics, n, timeout_ms, leaders, &passing);
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR)
    return fail_topic (admin, err, topics[0].name, error);
  while (passing && clock_monotonic_us () < deadline_us) {
    g_usleep (LOOK_EVERY_US);
    int left_ms = (int)MAX ((deadline_us - clock_monotonic_us ()) / 1000, 1);
    if (ask (admin, topics, n, left_ms, leaders, &passing) != RD_KAFKA_RESP_ERR_NO_ERROR)
      break; /* the previous answer stands */
  }
  return TRUE;
}

gboolean
kafka_admin_look (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms, GError **error)
{
  return look (admin, topics, n, timeout_ms, TRUE, error);
}

gboolean
kafka_admin_describe (KafkaAdmin *admin, KafkaTopic *topics, guint n, int timeout_ms,
                      GError **error)
{
  if (!look (admin, topics, n, timeout_ms, FALSE, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (topics[i].partitions < 0 && topics[i].trouble != NULL) {
      g_autofree char *where = kafka_where (admin->rk);
      return error_set (error, PRUNED_OUTAGE, "%s: cannot read metadata of topic %s: %s", where,
                        topics[i].name, topics[i].trouble);
    }
  return TRUE;
}

char *
kafka_admin_cluster_id (KafkaAdmin *admin, int timeout_ms, GError **error)
{
  char *id = rd_kafka_clusterid (admin->rk, timeout_ms);
  if (id == NULL) {
    g_autofree char *where = kafka_where (admin->rk);
    return error_null (error, PRUNED_OUTAGE, "%s: no answer within %d ms", where, timeout_ms);
  }
  char *copy = g_strdup (id);
  rd_kafka_mem_free (admin->rk, id);
  return copy;
}
