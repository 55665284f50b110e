/* A command's connections to PostgreSQL and Kafka, made from the settings. Their errors say what to
 * do. */
#include "cli/cli.h"

#include "avro/message.h"
#include "base/clock.h"
#include "base/uuid5.h"
#include "cli/grants.h"
#include "engine/service/envelope.h"
#include "engine/ledger/schema.h"
#include "engine/step/guard.h"
#include "kafka/consumer.h"

#include <string.h>

#define PUBLISH_MS 8000
#define DESCRIBE_MS 3000

/* --- PostgreSQL ------------------------------------------------------------------------------- */

#define LONGEST_MS (60 * 60 * 1000) /* a statement can read whole tables */
#define DOWN                                                                                       \
  "check [postgres] url (pruned config says where it comes from) and that PostgreSQL is up"
#define UP                                                                                         \
  "PostgreSQL is up: check role, password and database in [postgres] url (pruned config says where it comes from)"
#define UP_AGAIN "PostgreSQL is up: try again"
#define STANDBY_AWAY                                                                               \
  "commits wait for a synchronous standby: bring it back, or take it out of synchronous_standby_names"
#define FULL "PostgreSQL is out of connections, memory or disk"

static const struct {
  const char *sqlstate; /* its beginning */
  const char *remedy;
} REMEDIES[] = {
  { "42P01", "run: pruned migrate, or check [postgres] app_schema" },
  { "42703", "run: pruned migrate; a job of your own: pruned check says where" },
  { "3F000", "run: pruned migrate" },
  { "25006", "[postgres] url must name the primary" },
  { "53", FULL },
  { "55P03", "another session holds a lock: try again" },
  { "57014", "it took too long: try again when there is less load" },
  { "", DOWN },
};

/* The command that connected last: a remedy names its database and the owner of its tables. */
static Cli *current;
/* What cli_pg_keep was given; the next one to ask for a connection gets it. */
static Pg *spare;

static void
add_remedy (GError **error, const char *remedy)
{
  g_autofree char *message = g_strdup ((*error)->message);
  int code = (*error)->code;
  g_clear_error (error);
  g_set_error (error, PRUNED_ERROR, code, "%s; %s", message, remedy);
}

/* As cli_pg_failed, but one SQLSTATE has a remedy of its own. */
static ExitCode
failed_as (const Pg *pg, const char *sqlstate, const char *remedy, GError **error)
{
  if (!g_str_equal (pg_sqlstate (pg), sqlstate))
    return cli_pg_failed (pg, error);
  add_remedy (error, remedy);
  return CODE_POSTGRES;
}

/* A lock can be that of a command whose commit does not end. */
static gboolean
commits_wait (void)
{
  g_autoptr (Pg) pg = cli_pg_bare (current, NULL);
  g_autoptr (PgRows) rows = pg != NULL && pg_begin_read_only (pg, NULL)
                                ? pg_run_file (pg, "src/cli/doctor/sql/commits.sql", NULL, NULL)
                                : NULL;
  if (rows != NULL)
    pg_rollback (pg);
  return rows != NULL && rows_int (rows, 0, "waiting") > 0;
}

ExitCode
cli_pg_failed (const Pg *pg, GError **error)
{
  if (current != NULL && current->left_behind)
    return CODE_CONFIG;
  if (error == NULL || *error == NULL || strstr ((*error)->message, "run: pruned") != NULL)
    return CODE_POSTGRES;
  const char *state = pg_sqlstate (pg);
  if (g_str_has_prefix ((*error)->message, GUARD_PREFIX)) {
    add_remedy (error, "run: pruned check");
    return CODE_CONFIG; /* PostgreSQL has answered: the job is wrong */
  }
  if (g_str_has_prefix ((*error)->message, "refused: "))
    return CODE_CONFIG; /* so is a sentence that is refused */
  if (pg_is_hidden (pg) || pg_is_in_doubt (pg))
    return CODE_POSTGRES; /* the error says what to do */
  if (g_str_equal (state, "42501")) {
    g_autoptr (PgRows) owners = cli_owners (current);
    g_autofree char *grants = grants_of (current->config, owners),
                    *remedy = g_strconcat ("grant the rights: ", grants, NULL);
    add_remedy (error, remedy);
    return CODE_POSTGRES;
  }
  if (g_str_equal (state, "55P03") && commits_wait ()) {
    add_remedy (error, STANDBY_AWAY);
    return CODE_POSTGRES;
  }
  gboolean up = *state == '\0' && pg_is_up (pg);
  if (up)
    add_remedy (error, strstr ((*error)->message, "too many ") != NULL ? FULL
                       : pg_connections (pg) == 0                      ? UP
                                                                       : UP_AGAIN);
  for (guint i = 0; i < G_N_ELEMENTS (REMEDIES) && !up; i++)
    if (g_str_has_prefix (state, REMEDIES[i].sqlstate)
        && (*REMEDIES[i].sqlstate != '\0' || *state == '\0')) {
      add_remedy (error, REMEDIES[i].remedy);
      break;
    }
  return CODE_POSTGRES;
}

ExitCode
cli_row_end (ItemEnd end, const Pg *pg, GError **error)
{
  static const ExitCode codes[] = { [ITEM_READ] = CODE_OK,
                                    [ITEM_FAILED] = CODE_POSTGRES,
                                    [ITEM_WRONG] = CODE_USAGE,
                                    [ITEM_NO_TABLE] = CODE_NOT_FOUND,
                                    [ITEM_HIDDEN] = CODE_POSTGRES };
  return end == ITEM_FAILED ? cli_pg_failed (pg, error) : codes[end];
}

void
cli_pg_keep (Pg *pg)
{
  g_clear_pointer (&spare, pg_free);
  spare = pg;
}

/* ANSWER_MS: how long an answer is waited for; 0: as always. */
static Pg *
connect_for (Cli *cli, int answer_ms, GError **error)
{
  g_autofree char *name = g_strconcat ("pruned ", cli->command->name, NULL);
  PgSettings settings
      = { .url = config_text (cli->config, "postgres", "url"),
          .app_schema = config_text (cli->config, "postgres", "app_schema"),
          .extension_schemas = config_text (cli->config, "postgres", "extension_schemas"),
          .prepare = FALSE,
          .name = name,
          .answer_ms = answer_ms,
          .asks_commits = TRUE,
          .may_commit = cli->may_commit };
  g_autoptr (Pg) pg = pg_new (&settings);
  current = cli;
  if (pg_ensure (pg, error))
    return g_steal_pointer (&pg);
  cli_pg_failed (pg, error);
  return NULL;
}

Pg *
cli_pg_bare (Cli *cli, GError **error)
{
  return spare != NULL && pg_is_idle (spare) ? g_steal_pointer (&spare)
                                             : connect_for (cli, 0, error);
}

Pg *
cli_pg_patient (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = connect_for (cli, LONGEST_MS, error);
  return pg != NULL && cli_pg_schema (cli, pg, error) ? g_steal_pointer (&pg) : NULL;
}

gboolean
cli_pg_schema (Cli *cli, Pg *pg, GError **error)
{
  if (cli->command->any_schema ? schema_check_there (pg, error) : schema_check (pg, error))
    return TRUE;
  cli_pg_failed (pg, error);
  return FALSE;
}

Pg *
cli_pg (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  return pg != NULL && cli_pg_schema (cli, pg, error) ? g_steal_pointer (&pg) : NULL;
}

PgRows *
cli_owners (Cli *cli)
{
  g_autoptr (Pg) pg = cli_pg_bare (cli, NULL);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  g_autoptr (PgRows) rows = pg != NULL && pg_begin_read_only (pg, NULL)
                                ? pg_run_file (pg, "src/cli/sql/owners.sql", values, NULL)
                                : NULL;
  if (rows != NULL)
    pg_rollback (pg);
  return g_steal_pointer (&rows);
}

ExitCode
cli_pg_failed_owner (Cli *cli, const Pg *pg, GError **error)
{
  if (!g_str_equal (pg_sqlstate (pg), "42501") || pg_is_hidden (pg))
    return cli_pg_failed (pg, error);
  g_autoptr (PgRows) owners = cli_owners (cli);
  g_autofree char *remedy = grants_as_owner (cli, owners);
  return failed_as (pg, "42501", remedy, error);
}

/* --- Kafka ------------------------------------------------------------------------------------ */

static void
add_pair (const char *key, const char *value, gpointer data)
{
  g_ptr_array_add (data, g_strdup (key));
  g_ptr_array_add (data, g_strdup (value));
}

static gboolean
names_brokers (char **pairs)
{
  for (char **pair = pairs; *pair != NULL; pair += 2)
    if ((g_str_equal (pair[0], "bootstrap.servers")
         || g_str_equal (pair[0], "metadata.broker.list"))
        && *pair[1] != '\0')
      return TRUE;
  return FALSE;
}

static char **
kafka_pairs (Cli *cli)
{
  GPtrArray *pairs = g_ptr_array_new ();
  config_each_kafka (cli->config, add_pair, pairs);
  g_ptr_array_add (pairs, NULL);
  return (char **)g_ptr_array_free (pairs, FALSE);
}

gboolean
cli_kafka_consumer_check (Cli *cli, GError **error)
{
  g_auto (GStrv) settings = kafka_pairs (cli);
  return kafka_consumer_check ((const char *const *)settings,
                               config_text (cli->config, "topics", "prefix"), error);
}

char **
cli_kafka_settings (Cli *cli, GError **error)
{
  g_auto (GStrv) settings = kafka_pairs (cli);
  if (!kafka_settings_check ((const char *const *)settings, error))
    return NULL;
  if (names_brokers (settings))
    return g_steal_pointer (&settings);
  return error_null (
      error, PRUNED_FATAL,
      "no Kafka broker is named: set bootstrap.servers in [kafka], or PRUNED_KAFKA_BOOTSTRAP_SERVERS");
}

char *
cli_topic (Cli *cli, const char *name)
{
  return g_strconcat (config_text (cli->config, "topics", "prefix"), ".", name, NULL);
}

/* A missing topic has its own remedy. */
ExitCode
cli_topic_failed (char **settings, const char *topic, GError **error)
{
  g_autoptr (KafkaAdmin) admin = kafka_admin_new ((const char *const *)settings, NULL);
  KafkaTopic asked = { .name = (char *)topic };
  if (admin == NULL || !kafka_admin_describe (admin, &asked, 1, DESCRIBE_MS, NULL)
      || asked.partitions >= 0)
    return CODE_KAFKA;
  g_clear_error (error);
  return cli_fail (CODE_KAFKA, error, "there is no topic %s; run: pruned topics --apply", topic);
}

ExitCode
cli_publish (Cli *cli, KafkaMessage *message, const char *type, const char *ce_id, GError **error)
{
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  if (settings == NULL)
    return CODE_CONFIG;
  envelope_add (message, config_text (cli->config, "topics", "prefix"), type, ce_id,
                clock_now_us ());
  g_autoptr (KafkaProducer) producer = kafka_producer_new ((const char *const *)settings, error);
  if (producer == NULL)
    return CODE_CONFIG;
  if (message->partition == CLI_SPREAD) {
    gint32 n = kafka_producer_partitions (producer, message->topic, DESCRIBE_MS);
    message->partition = n > 0 ? (gint32)uuid5_slot (ce_id, (guint)n) : -1;
  }
  g_autoptr (GPtrArray) messages = g_ptr_array_new ();
  g_ptr_array_add (messages, message);
  if (kafka_publish (producer, messages, PUBLISH_MS, NULL, error))
    return CODE_OK;
  if (kafka_producer_is_up (producer))
    return cli_topic_failed (settings, message->topic, error);
  return CODE_KAFKA;
}
