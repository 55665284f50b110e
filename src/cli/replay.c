#include "base/clock.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/note.h"
#include "cli/passed_over.h"
#include "cli/replayer.h"
#include "cli/whose.h"
#include "engine/job/sentence/own_topics.h"

#define READ_MS 10000
#define AT_ONCE 500
#define AT_ONCE_BYTES (8 * 1024 * 1024)

static char *from, *to, *topics, *job;
static gboolean dry_run;

const GOptionEntry replay_options[]
    = { { "from", 0, 0, G_OPTION_ARG_STRING, &from,
          "start at the first message with this Kafka timestamp or a later one", "TIME" },
        { "to", 0, 0, G_OPTION_ARG_STRING, &to,
          "only messages before this time (default: to the end)", "TIME" },
        { "topic", 0, 0, G_OPTION_ARG_STRING, &topics,
          "of ticks, events, and the names of applications' own topics (default: all)", "TOPICS" },
        { "job", 0, 0, G_OPTION_ARG_STRING, &job, "only messages of this job", "J" },
        { "dry-run", 0, 0, G_OPTION_ARG_NONE, &dry_run, "only show what would be started", NULL },
        { NULL } };

const char replay_more[]
    = "TIME is RFC 3339 with zone, YYYY-MM-DD (00:00 UTC), or -10m, -2h, -1d before now. Each message has a line: done (its run has "
      "ended), running, started (dry run: would start), refused (with the reason). A message that has a run is left alone, so a replay can "
      "be repeated. The daemon's offsets do not change. A dry run does not predict runs that overlap only each other. Messages of a "
      "compressed batch that cannot be unpacked are passed over and named at the end, with exit code 4.";

static const Column COLUMNS[] = { { "topic" },
                                  { "partition", CELL_NUMBER },
                                  { "offset", CELL_NUMBER },
                                  { "job" },
                                  { "run_id" },
                                  { "verdict" },
                                  { "state", CELL_TEXT, TRUE },
                                  { "reason" },
                                  { NULL } };

static const char *const STATUSES[] = { [REPLAY_DONE] = "done",
                                        [REPLAY_RUNNING] = "running",
                                        [REPLAY_STARTED] = "started",
                                        [REPLAY_WOULD_START] = "would start",
                                        [REPLAY_REFUSED] = "refused" };

typedef struct {
  gint64 from_us, to_us;
  GPtrArray *topics; /* full names */
  const Job *job;
} Wanted;

typedef struct {
  Cli *cli;
  Wanted wanted;
  Replayer *replayer;
  GPtrArray *messages; /* read, but not placed yet */
  gsize bytes;
  guint told[G_N_ELEMENTS (STATUSES)];
  const char *topic; /* that is read */
  PassedOver passed;
  GError *failure; /* of the messages that were placed while reading */
} Course;

/* --- options --- */

/* `ticks` and `events` are ours; an application's own topic has its own name. */
static gboolean
parse_topics (Cli *cli, Wanted *wanted, GError **error)
{
  g_autoptr (GPtrArray) known = jobs_own_topics (cli->jobs, cli->config);
  g_ptr_array_insert (known, 0, g_strdup ("events"));
  g_ptr_array_insert (known, 0, g_strdup ("ticks"));
  g_ptr_array_add (known, NULL);
  const char *const *names = (const char *const *)known->pdata;
  g_auto (GStrv) given = topics != NULL ? g_strsplit (topics, ",", -1) : g_strdupv ((char **)names);
  for (char **name = given; *name != NULL; name++) {
    if (!g_strv_contains (names, *name)) {
      arguments_set_unknown (error, "topic", *name, names);
      return FALSE;
    }
    gboolean ours = g_str_equal (*name, "ticks") || g_str_equal (*name, "events");
    g_ptr_array_add (wanted->topics, ours ? cli_topic (cli, *name) : g_strdup (*name));
  }
  return TRUE;
}

static gboolean
parse_time (const char *option, const char *text, gint64 *us, GError **error)
{
  if (cli_time (text, us, error))
    return TRUE;
  g_prefix_error (error, "%s: ", option);
  return FALSE;
}

static ExitCode
parse_options (Cli *cli, Wanted *wanted, GError **error)
{
  if (from == NULL)
    return cli_usage (error, "--from TIME is missing");
  if (!parse_time ("--from", from, &wanted->from_us, error)
      || (to != NULL && !parse_time ("--to", to, &wanted->to_us, error))
      || !parse_topics (cli, wanted, error))
    return CODE_USAGE;
  if (wanted->to_us <= wanted->from_us)
    return cli_usage (error, "--to %s is not later than --from %s", to, from);
  if (job != NULL && (wanted->job = job_left_find (cli, job, error)) == NULL)
    return CODE_NOT_FOUND;
  return CODE_OK;
}

/* --- output ----------------------------------------------------------------------------------- */

static json_t *
text (const char *words)
{
  return words != NULL ? json_string (words) : json_null ();
}

static void
tell (const ReplayResult *result, gpointer data)
{
  Course *course = data;
  course->told[result->status]++;
  output_row (course->cli->out, text (result->message->topic),
              json_integer (result->message->partition), json_integer (result->message->offset),
              text (result->job), text (result->run_id), text (STATUSES[result->status]),
              text (result->state), text (result->reason));
}

static void
sum_up (const Course *course)
{
  g_autoptr (GString) line = g_string_new (NULL);
  output_end_list (course->cli->out, "No messages of that time.");
  for (guint i = 0; i < G_N_ELEMENTS (STATUSES); i++)
    if (course->told[i] > 0)
      g_string_append_printf (line, "%s%u %s", line->len > 0 ? ", " : "", course->told[i],
                              STATUSES[i]);
  if (line->len > 0)
    output_hint (course->cli->out, "%s.", line->str);
}

/* --- reading ---------------------------------------------------------------------------------- */

static gboolean
place_read (Course *course)
{
  gboolean ok
      = replay_messages (&course->replayer->replay, (KafkaMessage *const *)course->messages->pdata,
                         course->messages->len, &course->failure);
  g_ptr_array_set_size (course->messages, 0);
  course->bytes = 0;
  output_flush (course->cli->out);
  return ok;
}

static gboolean
take (const KafkaMessage *message, gpointer data)
{
  Course *course = data;
  if (message->timestamp_ms * 1000 >= course->wanted.to_us)
    return TRUE;
  g_ptr_array_add (course->messages, kafka_message_copy (message));
  course->bytes += message->value_len;
  return (course->messages->len < AT_ONCE && course->bytes < AT_ONCE_BYTES) || place_read (course);
}

static void
pass_over (const KafkaStretch *batch, gpointer data)
{
  Course *course = data;
  passed_over_add (&course->passed, course->topic, batch);
}

static ExitCode
replay_topic (Course *course, const char *topic, GError **error)
{
  gint64 from_ms = (course->wanted.from_us + 999) / 1000;
  const KafkaVisitor visitor = { take, pass_over, course };
  course->topic = topic;
  if (!kafka_read_topic (course->replayer->service.kafka_settings, topic, from_ms, READ_MS,
                         &visitor, error))
    return cli_topic_failed ((char **)course->replayer->service.kafka_settings, topic, error);
  if (course->failure == NULL && place_read (course))
    return CODE_OK;
  g_propagate_error (error, g_steal_pointer (&course->failure));
  return cli_pg_failed (course->replayer->replay.pg, error);
}

/* An application's topic that nobody has named, and that is not there. */
static gboolean
is_not_made (const Course *course, const char *topic)
{
  g_autoptr (GPtrArray) own = jobs_own_topics (course->cli->jobs, course->cli->config);
  if (topics != NULL || !g_ptr_array_find_with_equal_func (own, topic, g_str_equal, NULL))
    return FALSE;
  KafkaTopic asked = { (char *)topic, -1 };
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (course->replayer->service.kafka_settings, NULL);
  return admin != NULL && kafka_admin_look (admin, &asked, 1, READ_MS, NULL) && asked.partitions < 0
         && asked.trouble == NULL;
}

static ExitCode
replay_topics (Course *course, GError **error)
{
  ExitCode code = CODE_OK;
  output_table (course->cli->out, COLUMNS);
  for (guint i = 0; code == CODE_OK && i < course->wanted.topics->len; i++)
    if (!is_not_made (course, course->wanted.topics->pdata[i]))
      code = replay_topic (course, course->wanted.topics->pdata[i], error);
  sum_up (course);
  if (code == CODE_OK)
    code = passed_over_end (&course->passed, error);
  passed_over_clear (&course->passed);
  return code;
}

/* Before the first run is started: they are started in many transactions. */
static gboolean
note (Cli *cli, Pg *pg, const Wanted *wanted, GError **error)
{
  g_autofree char *since = clock_format (wanted->from_us),
                  *until = wanted->to_us < G_MAXINT64 ? clock_format (wanted->to_us) : NULL;
  g_autofree char *object = g_strjoin (" ", wanted->job != NULL ? wanted->job->name : "all", "from",
                                       since, until != NULL ? "to" : NULL, until, NULL);
  return cli_note_alone (cli, pg, NULL, object, NULL, error);
}

static ExitCode
replay_with_postgres (Cli *cli, const Wanted *wanted, char **settings, GError **error)
{
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  ExitCode code = cli_whose (cli, pg, error);
  if (code != CODE_OK)
    return code;
  if (!dry_run && !note (cli, pg, wanted, error))
    return cli_pg_failed (pg, error);
  g_autoptr (GPtrArray) messages
      = g_ptr_array_new_with_free_func ((GDestroyNotify)kafka_message_free);
  g_auto (Replayer) replayer = { .replay = { .job = wanted->job, .tell = tell } };
  Course course = { .cli = cli, .wanted = *wanted, .replayer = &replayer, .messages = messages };
  replayer.replay.data = &course;
  code = replayer_open (&replayer, cli, pg, settings, dry_run, error);
  return code == CODE_OK ? replay_topics (&course, error) : code;
}

ExitCode
command_replay (Cli *cli, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Wanted wanted = { .to_us = G_MAXINT64, .topics = names };
  ExitCode code = parse_options (cli, &wanted, error);
  if (code != CODE_OK)
    return code;
  g_auto (GStrv) settings = cli_kafka_settings (cli, error);
  return settings != NULL ? replay_with_postgres (cli, &wanted, settings, error) : CODE_CONFIG;
}
