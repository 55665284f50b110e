#include "cli/replica.h"

#define ANSWER_MS 5000
#define CATCH_UP_US G_USEC_PER_SEC
#define LOOK_US (20 * G_TIME_SPAN_MILLISECOND)

static gboolean
look_there (Pg *standby, Pg *primary, ReplicaLook *look, GError **error)
{
  g_auto (ReplicaMark) mark = { 0 };
  if (!pg_ensure (standby, error) || !replica_mark (primary, &mark, error)
      || !pg_begin (standby, error))
    return FALSE;
  gboolean ok = replica_look (standby, &mark, NULL, look, error);
  for (gint64 waited = 0; ok && look->state == REPLICA_BEHIND && waited < CATCH_UP_US;
       waited += LOOK_US) {
    g_usleep (LOOK_US);
    ok = replica_look (standby, &mark, NULL, look, error);
  }
  pg_rollback (standby);
  return ok;
}

Pg *
cli_replica_pg (Cli *cli)
{
  const PgSettings settings
      = { .url = config_text (cli->config, "postgres", "replica_url"),
          .app_schema = config_text (cli->config, "postgres", "app_schema"),
          .extension_schemas = config_text (cli->config, "postgres", "extension_schemas"),
          .prepare = FALSE,
          .name = "pruned",
          .answer_ms = ANSWER_MS };
  return *settings.url != '\0' ? pg_new (&settings) : NULL;
}

ReplicaLook
cli_replica_look (Cli *cli, Pg *primary, char **detail)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Pg) standby = cli_replica_pg (cli);
  ReplicaLook look = { 0 };
  if (look_there (standby, primary, &look, &error))
    *detail = replica_look_words (&look);
  else {
    look.state = replica_state_of_error (standby, error);
    *detail = g_strdup (error->message);
  }
  return look;
}

void
replica_ask (Cli *cli, Pg *primary, json_t *found)
{
  if (*config_text (cli->config, "postgres", "replica_url") == '\0')
    return;
  g_autofree char *detail = NULL;
  ReplicaLook look = cli_replica_look (cli, primary, &detail);
  gboolean seen
      = look.state == REPLICA_USED || look.state == REPLICA_BEHIND || look.state == REPLICA_PAUSED;
  json_t *replica = json_pack ("{s:s, s:s}", "state", replica_words[look.state], "detail", detail);
  json_object_set_new (replica, "behind_bytes",
                       seen ? json_integer (look.behind_bytes) : json_null ());
  json_object_set_new (replica, "behind_s", seen ? json_real (look.behind_s) : json_null ());
  json_object_set_new (found, "replica", replica);
}

void
replica_say (Output *out, const json_t *found)
{
  const json_t *replica = json_object_get (found, "replica");
  if (json_is_object (replica))
    output_titled (out, "Standby", "%s: %s", json_string_value (json_object_get (replica, "state")),
                   json_string_value (json_object_get (replica, "detail")));
}
