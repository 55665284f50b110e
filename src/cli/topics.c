#include "cli/cli.h"
#include "cli/commands.h"

#define TIMEOUT_MS 10000
#define DAY_MS "86400000"
#define WEEK_MS "604800000"
#define MONTH_MS "2592000000"

static gboolean apply;

const GOptionEntry topics_options[] = {
  { "apply", 0, 0, G_OPTION_ARG_NONE, &apply, "make what is missing, add partitions where there are too few", NULL },
  { NULL }
};

const char topics_more[]
    = "Exit code 6 if something is missing. Topics that are made: <prefix>.ticks, .events and .outcomes keep messages 7 days,\n"
      ".dead 30 days, each with [topics] partitions; .work.<job> has the job's capacity in partitions and keeps 1 day (what\n"
      "is lost of it comes again from PostgreSQL). Replication is the broker's default. Topics that are there keep their\n"
      "settings; more partitions than wanted are fine.";

static const char *const WEEK[] = { "cleanup.policy", "delete", "retention.ms", WEEK_MS, NULL };
static const char *const MONTH[] = { "cleanup.policy", "delete", "retention.ms", MONTH_MS, NULL };
static const char *const WORK[] = { "cleanup.policy", "delete", "retention.ms", DAY_MS, NULL };

static const struct {
  const char *name;
  const char *const *settings;
} SHARED[] = { { "ticks", WEEK }, { "events", WEEK }, { "outcomes", WEEK }, { "dead", MONTH } };

static const Column COLUMNS[] = {
  { "topic" }, { "partitions", CELL_NUMBER }, { "wanted", CELL_NUMBER }, { "state" }, { NULL }
};

typedef struct {
  KafkaTopic topic;
  gint32 wanted;
  const char *const *settings;
} Wanted;

static KafkaTopic *
names_of (GArray *wanted)
{
  KafkaTopic *topics = g_new0 (KafkaTopic, wanted->len);
  for (guint i = 0; i < wanted->len; i++)
    topics[i].name = g_array_index (wanted, Wanted, i).topic.name;
  return topics;
}

static void
clear_wanted (gpointer data)
{
  g_free (((Wanted *)data)->topic.name);
}

static GArray *
wanted_topics (Cli *cli)
{
  GArray *wanted = g_array_new (FALSE, FALSE, sizeof (Wanted));
  g_array_set_clear_func (wanted, clear_wanted);
  for (guint i = 0; i < G_N_ELEMENTS (SHARED); i++) {
    Wanted shared = { { cli_topic (cli, SHARED[i].name) }, (gint32)config_int (cli->config, "topics", "partitions"),
                      SHARED[i].settings };
    g_array_append_val (wanted, shared);
  }
  for (guint i = 0; i < jobs_count (cli->jobs); i++) {
    const Job *job = jobs_at (cli->jobs, i);
    Wanted work = { { g_strdup (job->work_topic) }, job->capacity, WORK };
    g_array_append_val (wanted, work);
  }
  return wanted;
}

static gboolean
look (KafkaAdmin *admin, GArray *wanted, GError **error)
{
  g_autofree KafkaTopic *topics = names_of (wanted);
  if (!kafka_admin_describe (admin, topics, wanted->len, TIMEOUT_MS, error))
    return FALSE;
  for (guint i = 0; i < wanted->len; i++)
    g_array_index (wanted, Wanted, i).topic.partitions = topics[i].partitions;
  return TRUE;
}

/* What became of it, in a word; NULL: error. */
static const char *
settle (KafkaAdmin *admin, const Wanted *wanted, GError **error)
{
  const KafkaTopic *topic = &wanted->topic;
  if (topic->partitions >= wanted->wanted)
    return "ok";
  gboolean missing = topic->partitions < 0;
  if (!apply)
    return missing ? "missing" : "too few partitions";
  if (missing)
    return kafka_admin_create (admin, topic->name, wanted->wanted, wanted->settings, error) ? "made" : NULL;
  return kafka_admin_grow (admin, topic->name, wanted->wanted, error) ? "grown" : NULL;
}

static gboolean
settle_all (Cli *cli, KafkaAdmin *admin, GArray *wanted, gboolean *as_wanted, GError **error)
{
  *as_wanted = TRUE;
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < wanted->len; i++) {
    const Wanted *one = &g_array_index (wanted, Wanted, i);
    const char *state = settle (admin, one, error);
    if (state == NULL) {
      g_prefix_error (error, "topic %s: ", one->topic.name);
      return FALSE;
    }
    *as_wanted = *as_wanted && (apply || g_str_equal (state, "ok"));
    gint32 now = apply ? MAX (one->topic.partitions, one->wanted) : one->topic.partitions;
    output_row (cli->out, json_string (one->topic.name), now < 0 ? NULL : json_integer (now),
                json_integer (one->wanted), json_string (state));
  }
  output_end (cli->out);
  return TRUE;
}

ExitCode
command_topics (Cli *cli, GError **error)
{
  gboolean as_wanted;
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  g_autoptr (KafkaAdmin) admin = NULL;
  if (settings == NULL || (admin = kafka_admin_new ((const char *const *)settings, error)) == NULL)
    return CODE_CONFIG;
  g_autoptr (GArray) wanted = wanted_topics (cli);
  if (!look (admin, wanted, error) || !settle_all (cli, admin, wanted, &as_wanted, error))
    return CODE_KAFKA;
  if (!as_wanted)
    output_hint (cli->out, "\nrun: pruned topics --apply");
  return as_wanted ? CODE_OK : CODE_NOT_FOUND;
}
