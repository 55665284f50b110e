#include "kafka/inspect.h"
#include "kafka/client.h"
#include <string.h>

static rd_kafka_t *
open_client (const char *const *settings, GError **error)
{
  static const char *const fixed[] = { "allow.auto.create.topics", "false", NULL };
  rd_kafka_conf_t *conf = kafka_conf_new (settings, NULL, fixed, error);
  return conf != NULL ? kafka_client_new (RD_KAFKA_CONSUMER, conf, error) : NULL;
}

static gboolean
refuse (rd_kafka_t *rk, GError **error, const char *what, const char *why)
{
  g_autofree char *where = kafka_where (rk);
  g_set_error (error, PRUNED_ERROR, PRUNED_REJECT, "%s does not say %s: %s", where, what, why);
  return FALSE;
}

/* --- retention
 * ---------------------------------------------------------------------------------------- */

static const char *
entry_value (const rd_kafka_ConfigResource_t *resource, const char *name)
{
  gsize n = 0;
  const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs (resource, &n);
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (rd_kafka_ConfigEntry_name (entries[i]), name))
      return rd_kafka_ConfigEntry_value (entries[i]);
  return NULL;
}

static gboolean
take_retention (rd_kafka_t *rk, rd_kafka_event_t *event, const char *topic, gint64 *retention_ms,
                GError **error)
{
  g_autofree char *what = g_strconcat ("how long topic ", topic, " keeps messages", NULL);
  if (rd_kafka_event_error (event) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return refuse (rk, error, what, rd_kafka_event_error_string (event));
  gsize n = 0;
  const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources (
      rd_kafka_event_DescribeConfigs_result (event), &n);
  if (n != 1 || rd_kafka_ConfigResource_error (resources[0]) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return refuse (rk, error, what,
                   n == 1 ? rd_kafka_ConfigResource_error_string (resources[0]) : "no answer");
  const char *policy = entry_value (resources[0], "cleanup.policy"),
             *ms = entry_value (resources[0], "retention.ms");
  if (ms == NULL)
    return refuse (rk, error, what, "retention.ms is not shown");
  gboolean cut = policy == NULL || strstr (policy, "delete") != NULL;
  *retention_ms = cut ? g_ascii_strtoll (ms, NULL, 10) : -1;
  return TRUE;
}

gboolean
kafka_topic_retention (const char *const *settings, const char *topic, int timeout_ms,
                       gint64 *retention_ms, GError **error)
{
  rd_kafka_t *rk = open_client (settings, error);
  if (rk == NULL)
    return FALSE;
  rd_kafka_ConfigResource_t *asked = rd_kafka_ConfigResource_new (RD_KAFKA_RESOURCE_TOPIC, topic);
  rd_kafka_AdminOptions_t *options
      = rd_kafka_AdminOptions_new (rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_AdminOptions_set_request_timeout (options, timeout_ms, NULL, 0);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (rk);
  rd_kafka_DescribeConfigs (rk, &asked, 1, options, queue);
  rd_kafka_event_t *event
      = rd_kafka_queue_poll (queue, -1); /* the request's own time-out ends it */
  gboolean said = take_retention (rk, event, topic, retention_ms, error);
  rd_kafka_event_destroy (event);
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
  rd_kafka_ConfigResource_destroy (asked);
  rd_kafka_destroy (rk);
  return said;
}

/* --- the group
 * ----------------------------------------------------------------------------------------- */

static GPtrArray *
members_of (const struct rd_kafka_group_list *list)
{
  GPtrArray *members = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; list != NULL && i < list->group_cnt; i++)
    for (int k = 0; k < list->groups[i].member_cnt; k++) {
      const struct rd_kafka_group_member_info *member = &list->groups[i].members[k];
      g_ptr_array_add (members,
                       g_strdup_printf ("%s at %s", member->client_id, member->client_host));
    }
  return members;
}

GPtrArray *
kafka_group_members (const char *const *settings, const char *group, int timeout_ms, GError **error)
{
  const struct rd_kafka_group_list *list = NULL;
  const char *own = kafka_setting (settings, "group.id");
  rd_kafka_t *rk = open_client (settings, error);
  if (rk == NULL)
    return NULL;
  rd_kafka_resp_err_t err = rd_kafka_list_groups (rk, own != NULL ? own : group, &list, timeout_ms);
  GPtrArray *members = NULL;
  if (err == RD_KAFKA_RESP_ERR_NO_ERROR)
    members = members_of (list);
  else
    refuse (rk, error, "who is in the group", rd_kafka_err2str (err));
  if (list != NULL)
    rd_kafka_group_list_destroy (list);
  rd_kafka_destroy (rk);
  return members;
}
