#include "cli/whose.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/ledger/database.h"

#define DESCRIBE_MS 3000
#define COMMIT_MS 2000 /* a commit waits, with its locks */

static Cli *asking;
static gboolean compared; /* in this process */

void
cli_whose_clear (CliWhose *whose)
{
  origin_clear (&whose->origin);
  origin_clear (&whose->owner);
}

static ExitCode
ask_database (Cli *cli, Pg *pg, Origin *origin, GError **error)
{
  Pg *own = NULL;
  if (pg == NULL && (pg = own = cli_pg (cli, error)) == NULL)
    return CODE_POSTGRES;
  const ExitCode code = !database_look (pg, origin, error) ? cli_pg_failed (pg, error)
                        : !database_check (origin, error)  ? CODE_CONFIG
                                                           : CODE_OK;
  if (own != NULL)
    cli_pg_keep (own);
  return code;
}

/* A topic that is not there says nothing. */
static ExitCode
ask_topic (Cli *cli, char **settings, int timeout_ms, Origin *owner, GError **error)
{
  GError *cause = NULL;
  const gint64 until_us = clock_monotonic_us () + timeout_ms * G_TIME_SPAN_MILLISECOND;
  g_autofree char *topic = cli_topic (cli, OWNER_TOPIC);
  if (owner_read ((const char *const *)settings, topic, timeout_ms, owner, &cause))
    return CODE_OK;
  const int left_ms = (int)((until_us - clock_monotonic_us ()) / G_TIME_SPAN_MILLISECOND);
  g_autoptr (KafkaAdmin) admin
      = left_ms > 0 ? kafka_admin_new ((const char *const *)settings, NULL) : NULL;
  KafkaTopic asked = { .name = topic };
  if (admin != NULL && kafka_admin_describe (admin, &asked, 1, MIN (left_ms, DESCRIBE_MS), NULL)
      && asked.partitions < 0) {
    g_clear_error (&cause);
    return CODE_OK;
  }
  g_propagate_error (error, cause);
  return CODE_KAFKA;
}

/* Of a database that does not answer, or has no identity yet, nothing is known. A message can be
 * sent without its name all the same, as any other producer would send it, unless it is known that
 * the topics are another's. */
static ExitCode
without_database (Cli *cli, char **settings, CliWhose *whose, GError *cause, GError **error)
{
  if (cause->code == PRUNED_OUTAGE)
    log_warning ("It is not known whether the topics are this database's", "error", cause->message);
  else if (ask_topic (cli, settings, OWNER_MS, &whose->owner, NULL) == CODE_OK
           && whose->owner.database != NULL) {
    g_propagate_error (error, cause);
    return CODE_POSTGRES;
  }
  g_error_free (cause);
  return CODE_OK;
}

ExitCode
cli_whose_ask (Cli *cli, Pg *pg, char **settings, CliWhose *whose, GError **error)
{
  GError *cause = NULL;
  if (*config_text (cli->config, "postgres", "url") == '\0')
    return CODE_OK;
  const ExitCode code = ask_database (cli, pg, &whose->origin, &cause);
  if (code == CODE_OK)
    return ask_topic (cli, settings, OWNER_MS, &whose->owner, error);
  if (code == CODE_POSTGRES)
    return without_database (cli, settings, whose, cause, error);
  g_propagate_error (error, cause);
  return code;
}

ExitCode
cli_whose_check (Cli *cli, const CliWhose *whose, GError **error)
{
  if (whose->origin.database == NULL)
    return CODE_OK;
  if (!owner_check (&whose->owner, &whose->origin, config_text (cli->config, "topics", "prefix"),
                    error))
    return CODE_CONFIG;
  origin_begin (whose->origin.database);
  compared = TRUE;
  return CODE_OK;
}

ExitCode
cli_whose (Cli *cli, Pg *pg, GError **error)
{
  g_auto (CliWhose) whose = { { NULL } };
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  if (settings == NULL)
    return CODE_CONFIG;
  const ExitCode code = cli_whose_ask (cli, pg, settings, &whose, error);
  return code == CODE_OK ? cli_whose_check (cli, &whose, error) : code;
}

/* --- before a commit --- */

void
cli_whose_begin (Cli *cli)
{
  asking = cli;
}

static gboolean
was_left_behind (const Origin *origin, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_auto (Origin) owner = { NULL };
  g_auto (GStrv) settings = cli_kafka_settings (asking, &cause);
  if (settings == NULL || ask_topic (asking, settings, COMMIT_MS, &owner, &cause) != CODE_OK) {
    log_warning ("It could not be compared whether this server was left behind by a promotion",
                 "server", origin->host, "error", cause->message);
    return FALSE;
  }
  return owner.database != NULL && g_str_equal (owner.database, origin->database)
         && !owner_check (&owner, origin, config_text (asking->config, "topics", "prefix"), error);
}

gboolean
cli_whose_may_commit (Pg *pg, GError **error)
{
  g_auto (Origin) origin = { NULL };
  gboolean there = FALSE;
  if (compared)
    return !asking->left_behind;
  if (!database_is_there (pg, &there, error) || (there && !database_look (pg, &origin, error)))
    return FALSE;
  compared = TRUE;
  asking->left_behind
      = origin.database != NULL && origin.timeline > 0 && was_left_behind (&origin, error);
  return !asking->left_behind;
}
