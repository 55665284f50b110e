#include "cli/topics.h"

#include "cli/commands.h"
#include "cli/note.h"
#include "cli/whose.h"
#include "engine/outbox/topics.h"
#include "kafka/inspect.h"

#define TIMEOUT_MS 5000

static gboolean apply, take;

const GOptionEntry topics_options[] = {
  { "apply", 0, 0, G_OPTION_ARG_NONE, &apply,
    "create missing topics, add partitions where there are too few, set settings that the service needs",
    NULL },
  { "take", 0, 0, G_OPTION_ARG_NONE, &take,
    "make them this database's, whosever they were; its daemons must have ended", NULL },
  { NULL }
};

const char topics_more[]
    = "Exit code 6 if something is missing. New topics: <prefix>.ticks, .events and .outcomes keep messages for 7 days, .dead "
      "for 30 days, each with [topics] partitions; .work.<job> has as many partitions as the job's capacity, or ranges if that "
      "is more, and keeps messages for 1 day (lost messages are sent again from PostgreSQL); .clock has one partition and is "
      "compacted (its timestamps are the broker's time, and a record in it names the database that the topics belong to). "
      "Replication is the broker's default.\n"
      "Existing topics may have more partitions, and keep how long they have messages (retention.ms) and what else somebody has "
      "set. What the service needs is set, for all of them alike: cleanup.policy, message.timestamp.type of .clock, and "
      "max.message.bytes of .dead and .work.<job> if it is less. Before .clock is compacted, all daemons must have this "
      "version.\n"
      "Topics of another database are refused with exit code 2; --take makes them this one's, once no daemon of the consumer "
      "group runs.";

static const Column COLUMNS[] = {
  { "topic" }, { "partitions", CELL_NUMBER }, { "wanted", CELL_NUMBER }, { "state" }, { NULL }
};

/* The state in words. OTHER: the settings that it has instead of those that are needed, or NULL.
 * g_free it. */
static char *
state_of (const WantedTopic *wanted, gint32 found, const char *other)
{
  if (found < wanted->partitions)
    return g_strdup (apply ? (found < 0 ? "made" : "grown")
                           : (found < 0 ? "missing" : "too few partitions"));
  if (other == NULL)
    return g_strdup ("ok");
  return apply ? g_strdup ("settings changed") : g_strconcat ("other settings: ", other, NULL);
}

static gboolean
settle (KafkaAdmin *admin, const GArray *wanted, const KafkaTopic *found, guint from, guint until,
        GError **error)
{
  for (guint i = from; i < until; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    if (found[i].partitions >= 0 && found[i].partitions < one->partitions
        && !kafka_admin_grow (admin, one->name, one->partitions, error))
      return FALSE;
  }
  return topics_create (admin, wanted, found, from, until, error);
}

/* OTHER: topics_settings; NULL: not known. REFUSED: why the broker does not create the optional
 * topics; NULL: it did. */
static gboolean
show (Cli *cli, const GArray *wanted, const KafkaTopic *found, const GPtrArray *other,
      const GError *refused)
{
  gboolean as_wanted = TRUE;
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    gboolean made = apply && !(refused != NULL && one->optional);
    gint32 now = made ? MAX (found[i].partitions, one->partitions) : found[i].partitions;
    const char *differs = other != NULL ? other->pdata[i] : NULL;
    g_autofree char *state
        = made || !apply ? state_of (one, found[i].partitions, differs) : g_strdup ("refused");
    as_wanted = as_wanted && (now >= one->partitions || (apply && one->optional))
                && (apply || differs == NULL);
    output_row (cli->out, json_string (one->name), now < 0 ? NULL : json_integer (now),
                json_integer (one->partitions), json_string (state));
  }
  output_end (cli->out);
  if (!as_wanted)
    output_hint (cli->out, "\nrun: pruned topics --apply");
  if (refused != NULL)
    output_hint (cli->out, "\n%s\nEverything else works without it.", refused->message);
  return as_wanted;
}

/* The topics that were made, or have got partitions or settings. */
static void
note (Cli *cli, const GArray *wanted, const KafkaTopic *found, const GPtrArray *other,
      const GError *refused)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    if ((found[i].partitions < one->partitions && !(refused != NULL && one->optional))
        || (other != NULL && other->pdata[i] != NULL))
      g_string_append_printf (names, "%s%s", names->len > 0 ? " " : "", one->name);
  }
  if (names->len > 0)
    cli_note_done (cli, NULL, g_str_equal (cli->command->name, "topics") ? "--apply" : "--topics",
                   names->str, NULL);
}

/* The daemons of whoever owns the topics go on with them, whatever is written. */
static ExitCode
refuse_members (Cli *cli, char **settings, GError **error)
{
  const char *prefix = config_text (cli->config, "topics", "prefix");
  g_autoptr (GPtrArray) members
      = kafka_group_members ((const char *const *)settings, prefix, TIMEOUT_MS, error);
  if (members == NULL)
    return CODE_KAFKA;
  g_autoptr (GString) words = g_string_new (NULL);
  for (guint i = 0; i < members->len; i++) {
    const KafkaMember *member = members->pdata[i];
    g_string_append_printf (words, "%s%s at %s", i > 0 ? ", " : "", member->client_id,
                            member->host);
  }
  return members->len == 0
             ? CODE_OK
             : cli_fail (CODE_CONFIG, error,
                         "--take: daemons of the consumer group %s still run: %s; end them first",
                         prefix, words->str);
}

static ExitCode
take_over (Cli *cli, char **settings, CliWhose *whose, GError **error)
{
  const Origin *origin = &whose->origin;
  g_autofree char *topic = cli_topic (cli, OWNER_TOPIC);
  if (origin->database == NULL)
    return cli_fail (
        CODE_CONFIG, error,
        "--take: the database has no identity: check [postgres] url, and run: pruned migrate");
  if (g_strcmp0 (whose->owner.database, origin->database) == 0
      && !owner_left_behind (&whose->owner, origin))
    return CODE_OK;
  const ExitCode code = refuse_members (cli, settings, error);
  if (code != CODE_OK)
    return code;
  if (!owner_write ((const char *const *)settings, topic, origin, TRUE, error)
      || !owner_read ((const char *const *)settings, topic, OWNER_MS, &whose->owner, error))
    return cli_topic_failed (settings, topic, error);
  g_autofree char *words = origin_words (origin);
  cli_note_done (cli, NULL, "--take", words, NULL);
  return CODE_OK;
}

/* Before anything is made or shown. */
static ExitCode
whose_are_they (Cli *cli, char **settings, CliWhose *whose, GError **error)
{
  ExitCode code = cli_whose_ask (cli, NULL, settings, whose, error);
  if (code == CODE_OK && take)
    code = take_over (cli, settings, whose, error);
  return code == CODE_OK ? cli_whose_check (cli, whose, error) : code;
}

/* Topics that were nobody's are this database's from here on. */
static ExitCode
own (Cli *cli, char **settings, const CliWhose *whose, GError **error)
{
  if (whose->origin.database == NULL)
    return CODE_OK;
  if (owner_settle ((const char *const *)settings, config_text (cli->config, "topics", "prefix"),
                    &whose->owner, &whose->origin, error))
    return CODE_OK;
  return (*error)->code == PRUNED_FATAL ? CODE_CONFIG : CODE_KAFKA;
}

ExitCode
command_topics (Cli *cli, GError **error)
{
  return topics_settle (cli, apply, error);
}

ExitCode
topics_settle (Cli *cli, gboolean make, GError **error)
{
  apply = make;
  cli_say_refused (cli); /* their topics are not among these */
  g_auto (CliWhose) whose = { { NULL } };
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  g_autoptr (KafkaAdmin) admin = NULL;
  if (settings == NULL || (admin = kafka_admin_new ((const char *const *)settings, error)) == NULL)
    return CODE_CONFIG;
  ExitCode code = whose_are_they (cli, settings, &whose, error);
  if (code != CODE_OK)
    return code;
  g_autoptr (GArray) wanted = topics_wanted (cli->config, cli->jobs);
  g_autofree KafkaTopic *found = topics_found (admin, wanted, TIMEOUT_MS, error);
  g_autoptr (GError) refused = NULL;
  guint needed = topics_needed (wanted);
  if (found == NULL || (apply && !settle (admin, wanted, found, 0, needed, error)))
    return CODE_KAFKA;
  if (apply && !settle (admin, wanted, found, needed, wanted->len, &refused)
      && refused->code != PRUNED_REJECT) {
    g_propagate_error (error, g_steal_pointer (&refused));
    return CODE_KAFKA;
  }
  g_autoptr (GError) unsettled = NULL;
  g_autoptr (GPtrArray) other = topics_settings (admin, wanted, found, apply, &unsettled);
  if (unsettled != NULL && unsettled->code == PRUNED_DATA) {
    g_propagate_error (error, g_steal_pointer (&unsettled));
    return CODE_KAFKA;
  }
  if (apply)
    note (cli, wanted, found, other, refused);
  if (apply && refused == NULL && (code = own (cli, settings, &whose, error)) != CODE_OK)
    return code;
  const gboolean as_wanted = show (cli, wanted, found, other, refused);
  if (unsettled != NULL)
    output_hint (cli->out, "\n%s\nSettings of topics were not compared.", unsettled->message);
  return as_wanted ? CODE_OK : CODE_NOT_FOUND;
}
