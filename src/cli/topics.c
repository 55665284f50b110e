#include "cli/cli.h"
#include "cli/commands.h"
#include "engine/topics.h"

#define TIMEOUT_MS 5000

static gboolean apply;

const GOptionEntry topics_options[] = {
  { "apply", 0, 0, G_OPTION_ARG_NONE, &apply, "make what is missing, add partitions where there are too few", NULL },
  { NULL }
};

const char topics_more[]
    = "Exit code 6 if something is missing. What is made: <prefix>.ticks, .events and .outcomes keep messages 7 days, .dead\n"
      "30 days, each with [topics] partitions; .work.<job> has the job's capacity in partitions and keeps 1 day (what is\n"
      "lost of it comes again from PostgreSQL). Replication is the broker's default. Topics that are there keep their\n"
      "settings; more partitions than wanted are fine.";

static const Column COLUMNS[] = {
  { "topic" }, { "partitions", CELL_NUMBER }, { "wanted", CELL_NUMBER }, { "state" }, { NULL }
};

/* What becomes of a topic that has FOUND partitions, in a word; NULL: error. */
static const char *
settle (KafkaAdmin *admin, const WantedTopic *wanted, gint32 found, GError **error)
{
  if (found >= wanted->partitions)
    return "ok";
  if (!apply)
    return found < 0 ? "missing" : "too few partitions";
  if (found < 0)
    return kafka_admin_create (admin, wanted->name, wanted->partitions, wanted->settings, error) ? "made" : NULL;
  return kafka_admin_grow (admin, wanted->name, wanted->partitions, error) ? "grown" : NULL;
}

static gboolean
settle_one (Cli *cli, KafkaAdmin *admin, const WantedTopic *wanted, gint32 found, GError **error)
{
  const char *state = settle (admin, wanted, found, error);
  if (state == NULL) {
    g_prefix_error (error, "topic %s: ", wanted->name);
    return FALSE;
  }
  gint32 now = apply ? MAX (found, wanted->partitions) : found;
  output_row (cli->out, json_string (wanted->name), now < 0 ? NULL : json_integer (now),
              json_integer (wanted->partitions), json_string (state));
  return TRUE;
}

static ExitCode
settle_all (Cli *cli, KafkaAdmin *admin, GArray *wanted, const KafkaTopic *found, GError **error)
{
  gboolean as_wanted = TRUE;
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    as_wanted = as_wanted && (apply || found[i].partitions >= one->partitions);
    if (!settle_one (cli, admin, one, found[i].partitions, error))
      return CODE_KAFKA;
  }
  output_end (cli->out);
  if (!as_wanted)
    output_hint (cli->out, "\nrun: pruned topics --apply");
  return as_wanted ? CODE_OK : CODE_NOT_FOUND;
}

ExitCode
command_topics (Cli *cli, GError **error)
{
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  g_autoptr (KafkaAdmin) admin = NULL;
  if (settings == NULL || (admin = kafka_admin_new ((const char *const *)settings, error)) == NULL)
    return CODE_CONFIG;
  g_autoptr (GArray) wanted = topics_wanted (cli->config, cli->jobs);
  g_autofree KafkaTopic *found = topics_found (admin, wanted, TIMEOUT_MS, error);
  return found != NULL ? settle_all (cli, admin, wanted, found, error) : CODE_KAFKA;
}
