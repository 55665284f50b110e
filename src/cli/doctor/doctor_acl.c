/* What Kafka's ACLs deny the daemon, each with the command that grants it. */
#include "base/plural.h"
#include "cli/acl.h"
#include "cli/doctor/doctor.h"
#include "engine/job/sentence/own_topics.h"
#include "engine/outbox/topics.h"

#define TIMEOUT_MS 10000
#define NAME "Kafka's rights"

static const char *const *
settings_of (const Doctor *doctor)
{
  return (const char *const *)doctor->kafka;
}

static guint
wanted_of (const GPtrArray *acls, const char *topic)
{
  static const KafkaRight all[] = { KAFKA_READ, KAFKA_WRITE, KAFKA_DESCRIBE_CONFIGS };
  guint wanted = 0;
  for (guint i = 0; i < acls->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (all); k++)
      if (acl_covers (acls->pdata[i], all[k], topic))
        wanted |= all[k];
  return wanted;
}

/* The topics that are there, with what is wanted of each. NULL: Kafka does not answer. */
static GArray *
rights_of (const Doctor *doctor, const GPtrArray *acls, const GArray *wanted, const GPtrArray *own,
           GError **error)
{
  const guint n = wanted->len + own->len;
  g_autofree KafkaTopic *topics = g_new0 (KafkaTopic, n + 1);
  for (guint i = 0; i < n; i++)
    topics[i].name = i < wanted->len ? g_array_index (wanted, WantedTopic, i).name
                                     : own->pdata[i - wanted->len];
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (settings_of (doctor), error);
  if (admin == NULL || !kafka_admin_look (admin, topics, n, TIMEOUT_MS, error))
    return NULL;
  GArray *rights = g_array_new (FALSE, TRUE, sizeof (KafkaRights));
  for (guint i = 0; i < n; i++) {
    KafkaRights one = { topics[i].name, wanted_of (acls, topics[i].name), topics[i].denied };
    if (topics[i].denied || (topics[i].partitions > 0 && topics[i].trouble == NULL))
      g_array_append_val (rights, one);
  }
  return rights;
}

/* `topic a`, `topics a, b`; NULL: nothing that ACL grants is denied. g_free it. */
static char *
denied_by (const Acl *acl, const GArray *rights, const KafkaRightsMore *more)
{
  guint n = 0;
  if (acl->group)
    return more->group_denied
               ? g_strdup_printf ("group %s (Read on topics can be asked for once it is granted)",
                                  acl->name)
               : NULL;
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < rights->len; i++) {
    const KafkaRights *one = &g_array_index (rights, KafkaRights, i);
    if ((one->denied & acl->right) && acl_covers (acl, acl->right, one->topic))
      g_string_append_printf (names, "%s%s", n++ > 0 ? ", " : "", one->topic);
  }
  return n > 0 ? g_strdup_printf ("%s %s", plural (n, "topic", "topics"), names->str) : NULL;
}

static guint
say_denied (Doctor *doctor, const GPtrArray *acls, const GArray *rights,
            const KafkaRightsMore *more)
{
  guint n = 0;
  g_autofree char *principal = acl_principal (settings_of (doctor), NULL);
  for (guint i = 0; i < acls->len; i++) {
    const Acl *acl = acls->pdata[i];
    g_autofree char *denied = denied_by (acl, rights, more);
    if (denied == NULL)
      continue;
    g_autofree char *remedy = acl_command (settings_of (doctor), acl, principal);
    n++;
    doctor_error (doctor, CODE_KAFKA, NAME, remedy, "Kafka denies this user the right %s on %s",
                  acl->operation, denied);
  }
  return n;
}

void
doctor_acl (Doctor *doctor, const GArray *wanted)
{
  g_autoptr (GError) error = NULL;
  KafkaRightsMore more = { 0 };
  guint n = 0;
  const char *group = kafka_setting (settings_of (doctor), "group.id");
  g_autofree char *clock = cli_topic (doctor->cli, "clock");
  g_autoptr (GPtrArray) own = jobs_own_topics (doctor->cli->jobs, doctor->cli->config);
  g_autofree char *principal = acl_principal (settings_of (doctor), NULL);
  g_autoptr (GPtrArray) acls = acls_of (doctor->cli, settings_of (doctor), ACL_DAEMON, principal);
  g_autoptr (GArray) rights = rights_of (doctor, acls, wanted, own, &error);
  if (group == NULL)
    group = config_text (doctor->cli->config, "topics", "prefix");
  gboolean known = rights != NULL
                   && kafka_rights_ask (settings_of (doctor), group, clock,
                                        (KafkaRights *)(gpointer)rights->data, rights->len,
                                        TIMEOUT_MS, &more, &error);
  if (rights != NULL)
    n = say_denied (doctor, acls, rights, &more);
  if (!known)
    doctor_warn (doctor, NAME, "pruned grants --kafka", "not all are checked: %s", error->message);
  else if (n == 0)
    doctor_ok (doctor, NAME, "Kafka denies none of those that the jobs in force need%s",
               more.writes_unknown ? " (but Write: this broker refuses no wrong `acks`)" : "");
}
