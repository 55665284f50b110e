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
  return error_reject (error, "%s: cannot find out %s: %s", where, what, why);
}

/* --- retention --- */

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

/* *RETENTION_MS grows to that of the topic; -1: for ever. A topic that is not there keeps nothing.
 */
static gboolean
add_retention (const rd_kafka_ConfigResource_t *resource, gint64 *retention_ms, const char **why)
{
  rd_kafka_resp_err_t err = rd_kafka_ConfigResource_error (resource);
  if (err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
    return TRUE;
  const char *policy = entry_value (resource, "cleanup.policy"),
             *ms = entry_value (resource, "retention.ms");
  if (err != RD_KAFKA_RESP_ERR_NO_ERROR || ms == NULL) {
    *why = err != RD_KAFKA_RESP_ERR_NO_ERROR ? rd_kafka_ConfigResource_error_string (resource)
                                             : "retention.ms is not shown";
    return FALSE;
  }
  gboolean cut = policy == NULL || strstr (policy, "delete") != NULL;
  gint64 its_ms = cut ? g_ascii_strtoll (ms, NULL, 10) : -1;
  *retention_ms = its_ms < 0 || *retention_ms < 0 ? -1 : MAX (*retention_ms, its_ms);
  return TRUE;
}

static gboolean
take_retention (rd_kafka_t *rk, rd_kafka_event_t *event, gint64 *retention_ms, GError **error)
{
  const char *why = "no answer";
  if (rd_kafka_event_error (event) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return refuse (rk, error, "how long topics keep messages", rd_kafka_event_error_string (event));
  gsize n = 0, known = 0;
  const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources (
      rd_kafka_event_DescribeConfigs_result (event), &n);
  *retention_ms = 0;
  while (known < n && add_retention (resources[known], retention_ms, &why))
    known++;
  if (n > 0 && known == n)
    return TRUE;
  g_autofree char *what
      = known < n ? g_strconcat ("how long topic ", rd_kafka_ConfigResource_name (resources[known]),
                                 " keeps messages", NULL)
                  : g_strdup ("how long topics keep messages");
  return refuse (rk, error, what, why);
}

gboolean
kafka_longest_retention (const char *const *settings, const GPtrArray *topics, int timeout_ms,
                         gint64 *retention_ms, GError **error)
{
  rd_kafka_t *rk = open_client (settings, error);
  if (rk == NULL)
    return FALSE;
  g_autoptr (GPtrArray) asked
      = g_ptr_array_new_with_free_func ((GDestroyNotify)rd_kafka_ConfigResource_destroy);
  for (guint i = 0; i < topics->len; i++)
    g_ptr_array_add (asked,
                     rd_kafka_ConfigResource_new (RD_KAFKA_RESOURCE_TOPIC, topics->pdata[i]));
  rd_kafka_AdminOptions_t *options
      = rd_kafka_AdminOptions_new (rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_AdminOptions_set_request_timeout (options, timeout_ms, NULL, 0);
  rd_kafka_queue_t *queue = rd_kafka_queue_new (rk);
  rd_kafka_DescribeConfigs (rk, (rd_kafka_ConfigResource_t **)asked->pdata, asked->len, options,
                            queue);
  rd_kafka_event_t *event
      = rd_kafka_queue_poll (queue, -1); /* returns in any case: the request has a time-out */
  gboolean said = take_retention (rk, event, retention_ms, error);
  rd_kafka_event_destroy (event);
  rd_kafka_queue_destroy (queue);
  rd_kafka_AdminOptions_destroy (options);
  rd_kafka_destroy (rk);
  return said;
}

/* --- the group --- */

static void
member_free (gpointer data)
{
  KafkaMember *member = data;
  g_free (member->client_id);
  g_free (member->host);
  g_free (member);
}

static GPtrArray *
members_of (const struct rd_kafka_group_list *list)
{
  GPtrArray *members = g_ptr_array_new_with_free_func (member_free);
  for (int i = 0; list != NULL && i < list->group_cnt; i++)
    for (int k = 0; k < list->groups[i].member_cnt; k++) {
      const struct rd_kafka_group_member_info *said = &list->groups[i].members[k];
      KafkaMember *member = g_new (KafkaMember, 1);
      *member = (KafkaMember){ g_strdup (said->client_id), g_strdup (said->client_host) };
      g_ptr_array_add (members, member);
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
    refuse (rk, error, "the members of the group", rd_kafka_err2str (err));
  if (list != NULL)
    rd_kafka_group_list_destroy (list);
  rd_kafka_destroy (rk);
  return members;
}
