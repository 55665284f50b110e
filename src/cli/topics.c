#include "cli/topics.h"

#include "cli/commands.h"
#include "cli/note.h"
#include "engine/outbox/topics.h"

#define TIMEOUT_MS 5000

static gboolean apply;

const GOptionEntry topics_options[]
    = { { "apply", 0, 0, G_OPTION_ARG_NONE, &apply,
          "create missing topics, add partitions where there are too few", NULL },
        { NULL } };

const char topics_more[]
    = "Exit code 6 if something is missing. New topics: <prefix>.ticks, .events and .outcomes keep messages for 7 days, .dead "
      "for 30 days, each with [topics] partitions; .work.<job> has as many partitions as the job's capacity, or ranges if that "
      "is more, and keeps messages for 1 day (lost messages are sent again from PostgreSQL); .clock has one partition and keeps "
      "them for 1 day (its timestamps are the broker's time; everything works without it). Replication is the broker's default.\n"
      "Existing topics keep their settings and may have more partitions.";

static const Column COLUMNS[] = {
  { "topic" }, { "partitions", CELL_NUMBER }, { "wanted", CELL_NUMBER }, { "state" }, { NULL }
};

/* The state in a word. */
static const char *
state_of (const WantedTopic *wanted, gint32 found)
{
  if (found >= wanted->partitions)
    return "ok";
  if (apply)
    return found < 0 ? "made" : "grown";
  return found < 0 ? "missing" : "too few partitions";
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

/* REFUSED: why the broker does not create the optional topics; NULL: it did. */
static gboolean
show (Cli *cli, const GArray *wanted, const KafkaTopic *found, const GError *refused)
{
  gboolean as_wanted = TRUE;
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    gboolean made = apply && !(refused != NULL && one->optional);
    gint32 now = made ? MAX (found[i].partitions, one->partitions) : found[i].partitions;
    as_wanted = as_wanted && (now >= one->partitions || (apply && one->optional));
    output_row (cli->out, json_string (one->name), now < 0 ? NULL : json_integer (now),
                json_integer (one->partitions),
                json_string (made || !apply ? state_of (one, found[i].partitions) : "refused"));
  }
  output_end (cli->out);
  if (!as_wanted)
    output_hint (cli->out, "\nrun: pruned topics --apply");
  if (refused != NULL)
    output_hint (cli->out, "\n%s\nEverything else works without it.", refused->message);
  return as_wanted;
}

/* The topics that were made or have got partitions. */
static void
note (Cli *cli, const GArray *wanted, const KafkaTopic *found, const GError *refused)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    if (found[i].partitions < one->partitions && !(refused != NULL && one->optional))
      g_string_append_printf (names, "%s%s", names->len > 0 ? " " : "", one->name);
  }
  if (names->len > 0)
    cli_note_done (cli, NULL, g_str_equal (cli->command->name, "topics") ? "--apply" : "--topics",
                   names->str, NULL);
}

ExitCode
command_topics (Cli *cli, GError **error)
{
  cli_say_refused (cli);
  return topics_settle (cli, apply, error);
}

ExitCode
topics_settle (Cli *cli, gboolean make, GError **error)
{
  apply = make;
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  g_autoptr (KafkaAdmin) admin = NULL;
  if (settings == NULL || (admin = kafka_admin_new ((const char *const *)settings, error)) == NULL)
    return CODE_CONFIG;
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
  if (apply)
    note (cli, wanted, found, refused);
  return show (cli, wanted, found, refused) ? CODE_OK : CODE_NOT_FOUND;
}
