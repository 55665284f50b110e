#include "cli/acl.h"

#include "cli/grants.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/outbox/remember.h"
#include "kafka/settings.h"

#include <string.h>

#define UNKNOWN "NAME"
#define EVERY "*" /* of `name` below: all that begin so */

static const struct {
  KafkaRight right;
  const char *operation;
} OPERATIONS[] = { { KAFKA_READ, "Read" },
                   { KAFKA_WRITE, "Write" },
                   { KAFKA_DESCRIBE_CONFIGS, "DescribeConfigs" } };

/* Of our own topics. The daemon's are also those of the commands beside it: `emit`, `dead`. */
static const struct {
  AclRole role;
  KafkaRight right;
  const char *name;
} OURS[] = {
  { ACL_DAEMON, KAFKA_READ, "ticks" },       { ACL_DAEMON, KAFKA_READ, "events" },
  { ACL_DAEMON, KAFKA_READ, "work." EVERY }, { ACL_DAEMON, KAFKA_READ, "dead" },
  { ACL_DAEMON, KAFKA_READ, "clock" },       { ACL_DAEMON, KAFKA_WRITE, "ticks" },
  { ACL_DAEMON, KAFKA_WRITE, "events" },     { ACL_DAEMON, KAFKA_WRITE, "work." EVERY },
  { ACL_DAEMON, KAFKA_WRITE, "outcomes" },   { ACL_DAEMON, KAFKA_WRITE, "dead" },
  { ACL_DAEMON, KAFKA_WRITE, "clock" },      { ACL_DAEMON, KAFKA_DESCRIBE_CONFIGS, EVERY },
  { ACL_PRODUCER, KAFKA_WRITE, "ticks" },    { ACL_PRODUCER, KAFKA_WRITE, "events" },
  { ACL_READER, KAFKA_READ, "outcomes" },
};

static void
acl_free (gpointer data)
{
  g_free (((Acl *)data)->name);
  g_free (data);
}

/* NAME: taken. */
static void
add (GPtrArray *acls, KafkaRight right, gboolean group, gboolean prefixed, char *name)
{
  Acl *acl = g_new (Acl, 1);
  const char *operation = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (OPERATIONS); i++)
    if (OPERATIONS[i].right == right)
      operation = OPERATIONS[i].operation;
  *acl = (Acl){ operation, right, group, prefixed, name };
  g_ptr_array_add (acls, acl);
}

static gboolean
is_covered (const GPtrArray *acls, KafkaRight right, const char *topic)
{
  for (guint i = 0; i < acls->len; i++)
    if (acl_covers (acls->pdata[i], right, topic))
      return TRUE;
  return FALSE;
}

static void
add_daemon (GPtrArray *acls, const Cli *cli, const char *const *kafka)
{
  const char *group = kafka_setting (kafka, "group.id");
  g_autoptr (GPtrArray) topics = jobs_own_topics (cli->jobs, cli->config);
  for (guint i = 0; i < topics->len; i++) {
    add (acls, KAFKA_READ, FALSE, FALSE, g_strdup (topics->pdata[i]));
    if (!is_covered (acls, KAFKA_DESCRIBE_CONFIGS, topics->pdata[i]))
      add (acls, KAFKA_DESCRIBE_CONFIGS, FALSE, FALSE, g_strdup (topics->pdata[i]));
  }
  const char *prefix = config_text (cli->config, "topics", "prefix");
  for (guint i = 0; remember_in_topic (cli->config) && i < 2; i++)
    add (acls, i == 0 ? KAFKA_READ : KAFKA_WRITE, FALSE, FALSE,
         g_strconcat (prefix, "." REMEMBER_TOPIC, NULL));
  add (acls, KAFKA_READ, TRUE, FALSE,
       g_strdup (group != NULL ? group : config_text (cli->config, "topics", "prefix")));
}

GPtrArray *
acls_of (const Cli *cli, const char *const *kafka, AclRole role, const char *principal)
{
  GPtrArray *acls = g_ptr_array_new_with_free_func (acl_free);
  const char *prefix = config_text (cli->config, "topics", "prefix");
  for (guint i = 0; i < G_N_ELEMENTS (OURS); i++)
    if (OURS[i].role == role) {
      gsize len = strcspn (OURS[i].name, EVERY);
      add (acls, OURS[i].right, FALSE, OURS[i].name[len] != '\0',
           g_strdup_printf ("%s.%.*s", prefix, (int)len, OURS[i].name));
    }
  if (role == ACL_DAEMON)
    add_daemon (acls, cli, kafka);
  if (role == ACL_READER) /* the groups whose names begin with its own */
    add (acls, KAFKA_READ, TRUE, TRUE, g_strdup (strchr (principal, ':') + 1));
  return acls;
}

gboolean
acl_covers (const Acl *acl, KafkaRight right, const char *name)
{
  return !acl->group && acl->right == right
         && (acl->prefixed ? g_str_has_prefix (name, acl->name) : g_str_equal (name, acl->name));
}

char *
acl_command (const char *const *kafka, const Acl *acl, const char *principal)
{
  const char *servers = kafka_setting (kafka, "bootstrap.servers");
  g_autofree char *who = grants_word (principal), *what = grants_word (acl->name);
  return g_strdup_printf ("kafka-acls.sh --bootstrap-server %s --command-config admin.properties"
                          " --add --allow-principal %s --operation %s%s --%s %s",
                          servers != NULL ? servers : "HOST:PORT", who, acl->operation,
                          acl->prefixed ? " --resource-pattern-type prefixed" : "",
                          acl->group ? "group" : "topic", what);
}

char *
acl_principal (const char *const *kafka, const char *given)
{
  const char *user = kafka_setting (kafka, "sasl.username");
  const char *name = given != NULL ? given : user != NULL && *user != '\0' ? user : UNKNOWN;
  return strchr (name, ':') != NULL ? g_strdup (name) : g_strconcat ("User:", name, NULL);
}

ExitCode
acls_print (Cli *cli, AclRole role, const char *principal, GError **error)
{
  static const Column columns[] = { { "command" }, { NULL } };
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  if (settings == NULL)
    return CODE_CONFIG;
  const char *const *kafka = (const char *const *)settings;
  g_autofree char *who = acl_principal (kafka, principal);
  g_autoptr (GPtrArray) acls = acls_of (cli, kafka, role, who);
  const gboolean json = output_is_json (cli->out);
  if (json)
    output_table (cli->out, columns);
  for (guint i = 0; i < acls->len; i++) {
    g_autofree char *command = acl_command (kafka, acls->pdata[i], who);
    if (json)
      output_row (cli->out, json_string (command));
    else
      output_say (cli->out, "%s", command);
  }
  return CODE_OK;
}
