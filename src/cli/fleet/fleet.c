/* `pruned fleet`: a line for each database, from what `night`, `status`, `stop` and `go` say of it
 * with --json. It judges nothing by itself.
 */
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/fleet/fleet_run.h"

#include <string.h>

#define ANSWER_S 60

static char *reason;

const GOptionEntry fleet_options[]
    = { { "reason", 0, 0, G_OPTION_ARG_STRING, &reason, "of stop and go: why", "TEXT" }, { NULL } };

const char fleet_more[]
    = "-c names a folder here, with a configuration for each database: DATABASE.conf. Each command runs once for each of them, as "
      "`pruned -c DATABASE.conf night` would; no database knows of another. Variables PRUNED_* are not used, because they would name "
      "one database for all. What does not answer within 60 s is named.\n"
      "Exit code: that of the first database that is not well; 8 if one does not answer.";

/* What a command said of a database, in a line. */
typedef struct {
  const char *state; /* static */
  GString *says;
} Line;

typedef void (*DescribeFunc) (const FleetMember *member, Line *line);

static const Column COLUMNS[] = {
  { "database" }, { "state" }, { "says" }, { "code", CELL_NUMBER, .detail = TRUE }, { NULL }
};

static gint64
number (const json_t *object, const char *key)
{
  return json_integer_value (json_object_get (object, key));
}

/* --- what each command says ------------------------------------------------------------------- */

static void
describe_night (const FleetMember *member, Line *line)
{
  const json_t *job, *first = NULL;
  size_t i, need = 0;
  gint64 rows = 0;
  json_array_foreach (member->said, i, job) {
    rows += number (job, "rows");
    if (json_is_true (json_object_get (job, "needs_somebody")) && need++ == 0)
      first = job;
  }
  if (first == NULL) {
    g_string_append_printf (line->says, "%zu %s, %" G_GINT64_FORMAT " %s went",
                            json_array_size (member->said),
                            plural ((gint64)json_array_size (member->said), "job", "jobs"), rows,
                            plural (rows, "row", "rows"));
    return;
  }
  line->state = "needs somebody";
  g_string_append_printf (line->says, "%s: %s", json_string_value (json_object_get (first, "job")),
                          json_string_value (json_object_get (first, "says")));
  if (need > 1)
    g_string_append_printf (line->says, ", and %zu more", need - 1);
}

static guint
running (const json_t *processes)
{
  guint n = 0;
  size_t i;
  const json_t *process;
  json_array_foreach (processes, i, process)
    n += json_is_true (json_object_get (process, "running"));
  return n;
}

/* Whether it says that SERVICE does not answer, and why. */
static gboolean
is_away (const json_t *found, const char *service, Line *line)
{
  const char *why = json_string_value (json_object_get (json_object_get (found, service), "error"));
  if (why != NULL)
    g_string_append_printf (line->says, "%s%s", line->says->len > 0 ? "; " : "", why);
  return why != NULL;
}

static void
describe_status (const FleetMember *member, Line *line)
{
  static const char *const STATES[] = { "ready", "waiting", "held", "dead" };
  const json_t *found = json_array_get (member->said, 0), *runs = json_object_get (found, "runs");
  if (is_away (found, "postgres", line))
    return;
  guint processes = running (json_object_get (found, "processes"));
  if (json_is_object (json_object_get (found, "stop")))
    line->state = "stopped";
  g_string_append_printf (line->says, "%u %s", processes,
                          plural (processes, "process", "processes"));
  for (guint i = 0; i < G_N_ELEMENTS (STATES); i++)
    if (number (runs, STATES[i]) > 0)
      g_string_append_printf (line->says, ", %" G_GINT64_FORMAT " %s", number (runs, STATES[i]),
                              STATES[i]);
  gint64 failing = number (found, "quarantine") + number (found, "parked");
  if (failing > 0)
    g_string_append_printf (line->says, ", %" G_GINT64_FORMAT " in quarantine", failing);
  (void)is_away (found, "kafka", line);
}

static void
describe_stop (const FleetMember *member, Line *line)
{
  const json_t *processes = json_object_get (json_array_get (member->said, 0), "processes"),
               *process;
  size_t i, confirmed = 0;
  json_array_foreach (processes, i, process)
    confirmed += json_is_true (json_object_get (process, "stopped"));
  line->state = "stopped";
  g_string_append_printf (line->says, "%zu of %zu processes have confirmed it", confirmed,
                          json_array_size (processes));
}

static void
describe_go (const FleetMember *member, Line *line)
{
  const json_t *ended = json_object_get (json_array_get (member->said, 0), "ended");
  g_string_append (line->says, json_is_object (ended) ? "work goes on" : "nothing was stopped");
}

static const struct {
  const char *name;
  DescribeFunc describe;
  gboolean takes_reason;
} ACTIONS[] = { { "night", describe_night, FALSE },
                { "status", describe_status, FALSE },
                { "stop", describe_stop, TRUE },
                { "go", describe_go, TRUE } };

/* --- all of them ------------------------------------------------------------------------------ */

static ExitCode
say_member (Cli *cli, const FleetMember *member, DescribeFunc describe)
{
  g_autoptr (GString) says = g_string_new (NULL);
  Line line = { "ok", says };
  if (json_array_size (member->said) > 0)
    describe (member, &line);
  if (member->code != CODE_OK) {
    line.state = member->code < 0 ? "no answer" : "error";
    if (member->error != NULL)
      g_string_append_printf (says, "%s%s", says->len > 0 ? "; " : "", member->error);
  }
  output_row (cli->out, json_string (member->name), json_string (line.state),
              json_string (says->str), json_integer (member->code));
  return member->code < 0 ? CODE_TIME_OVER : (ExitCode)member->code;
}

static ExitCode
run_all (Cli *cli, guint action, GError **error)
{
  const char *arguments[]
      = { ACTIONS[action].name, reason != NULL ? "--reason" : NULL, reason, NULL };
  g_autoptr (GPtrArray) members = fleet_run (cli->file, arguments, ANSWER_S, error);
  if (members == NULL)
    return CODE_CONFIG;
  ExitCode code = CODE_OK;
  output_table (cli->out, COLUMNS);
  for (guint i = 0; i < members->len; i++) {
    ExitCode one = say_member (cli, g_ptr_array_index (members, i), ACTIONS[action].describe);
    code = code == CODE_OK ? one : code;
  }
  output_end (cli->out);
  return code;
}

ExitCode
command_fleet (Cli *cli, GError **error)
{
  const char *wanted = cli->n_arguments > 0 ? cli->arguments[0] : ACTIONS[0].name;
  if (cli->file == NULL || !g_file_test (cli->file, G_FILE_TEST_IS_DIR))
    return cli_usage (error,
                      "name a folder with a configuration for each database: pruned fleet -c DIR");
  if (cli->overrides != NULL && *cli->overrides != NULL)
    return cli_usage (error, "-s would hold for all databases: write it into their files");
  for (guint i = 0; i < G_N_ELEMENTS (ACTIONS); i++)
    if (g_str_equal (wanted, ACTIONS[i].name))
      return reason == NULL || ACTIONS[i].takes_reason
                 ? run_all (cli, i, error)
                 : cli_usage (error, "%s takes no --reason", wanted);
  return cli_usage (error, "fleet %s: one of night, status, stop, go", wanted);
}
