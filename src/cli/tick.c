#include "avro/identity.h"
#include "avro/message.h"
#include "base/clock.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/note.h"
#include "cli/runs/run_row.h"
#include "cli/runs/run_wait.h"
#include "engine/view/run_view.h"
#include "cli/whose.h"
#include "engine/job/arguments.h"

#include <string.h>

#define TYPE "pruned.Tick"
#define DAY_US (G_GINT64_CONSTANT (24) * 3600 * G_USEC_PER_SEC)

static char *at;
static char **args;

const GOptionEntry tick_options[] = {
  { "at", 0, 0, G_OPTION_ARG_STRING, &at,
    "the time T that cut-offs are computed from (default: now)", "TIME" },
  { "arg", 0, 0, G_OPTION_ARG_STRING_ARRAY, &args,
    "an argument of the run; V is a number, true, false, null or an object if it parses as JSON, else text",
    "K=V" },
  { "wait", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, run_wait_option,
    "wait until the run has ended, at most S seconds (default 600), and show it; exit code 7: it ended dead or skipped, blocked, with all its rows failed, or is held, 8: time-out",
    "S" },
  { NULL }
};

static const Column COLUMNS[] = { { "run_id" },
                                  { "job" },
                                  { "scheduled_at", CELL_TIME },
                                  { "topic" },
                                  { "partition", CELL_NUMBER },
                                  { "offset", CELL_NUMBER },
                                  { NULL } };

typedef struct {
  const Job *job;
  gint64 at_us;
  char *args; /* canonical */
  char *run_id;
} Tick;

static void
tick_clear (Tick *tick)
{
  g_free (tick->args);
  g_free (tick->run_id);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tick, tick_clear)

/* Whether VALUE is used as JSON: any value but arrays and quoted texts. */
static gboolean
is_json_value (const char *value)
{
  g_autoptr (json_t) parsed = json_parse_exact (value, strlen (value), NULL);
  return parsed != NULL && !json_is_string (parsed) && !json_is_array (parsed);
}

/* Appends one `K=V` to the object. Numbers stay as they were written: the run's id is computed from
 * them. */
static gboolean
append_argument (const Job *job, const char *given, GString *object, GError **error)
{
  const char *equals = strchr (given, '=');
  if (equals == NULL || equals == given) {
    cli_usage (error, "--arg %s: expected NAME=VALUE", given);
    return FALSE;
  }
  g_autofree char *name = g_strndup (given, equals - given);
  if (!job_takes_argument (job, name)) {
    if (job->arguments[0] == NULL || g_str_equal (job->arguments[0], "*"))
      cli_usage (error, "unknown argument '%s' of job %s", name, job->name);
    else
      arguments_set_unknown (error, "argument", name, (const char *const *)job->arguments);
    return FALSE;
  }
  if (object->len > 1)
    g_string_append_c (object, ',');
  json_append_quoted (object, name, strlen (name));
  g_string_append_c (object, ':');
  if (is_json_value (equals + 1))
    g_string_append (object, equals + 1);
  else
    json_append_quoted (object, equals + 1, strlen (equals + 1));
  return TRUE;
}

static gboolean
is_given_before (char **given)
{
  gsize len = strcspn (*given, "=") + 1;
  for (char **before = args; before < given; before++)
    if (strncmp (*before, *given, len) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
check_argument (char **given, GError **error)
{
  if (!g_utf8_validate (*given, -1, NULL))
    cli_usage (error, "--arg: not UTF-8");
  else if (is_given_before (given))
    cli_usage (error, "--arg %s: given twice", *given);
  else
    return TRUE;
  return FALSE;
}

/* A tick that a daemon would send to the dead topic is not published. */
static gboolean
would_be_refused (const Job *job, const char *text, GError **error)
{
  g_autoptr (json_t) value = json_parse_exact (text, strlen (text), error);
  if (value == NULL)
    return TRUE;
  g_autofree char *reason = arguments_refusal (job, value, strlen (text));
  if (reason != NULL)
    cli_usage (error, "%s", reason);
  return reason != NULL;
}

static char *
canonical_args (const Job *job, GError **error)
{
  g_autoptr (GString) object = g_string_new ("{");
  for (char **given = args; given != NULL && *given != NULL; given++)
    if (!check_argument (given, error) || !append_argument (job, *given, object, error))
      return NULL;
  g_string_append_c (object, '}');
  g_autofree char *text = json_canonical_text (object->str, object->len, error);
  if (text == NULL) {
    g_prefix_error (error, "--arg: ");
    return NULL;
  }
  return would_be_refused (job, text, error) ? NULL : g_steal_pointer (&text);
}

/* Daemons refuse a tick that could be one that they have done and forgotten (admit_add.c). */
static void
warn_too_old (const Cli *cli, gint64 at_us)
{
  const gint64 keep_days = config_int (cli->config, "runs", "keep_days");
  g_autofree char *limit = g_strdup_printf ("[runs] keep_days = %" G_GINT64_FORMAT, keep_days);
  if (at_us < clock_now_us () - keep_days * DAY_US)
    log_warning ("The tick is too old: it will become a dead letter", "at", at, "limit", limit);
}

/* What becomes of the run, where this configuration says that nobody does it. */
static void
warn_not_done (const Cli *cli, const Job *job)
{
  if (job->refused != NULL)
    log_warning (
        "The job is refused: unless a daemon still has it as it was before, its run waits, "
        "or the tick becomes a dead letter",
        "job", job->name, "reason", job->refused, "remedy", "mend it, then pruned reload");
  else if (!config_job_bool (cli->config, job->name, "enabled")
           || g_str_equal (config_job_text (cli->config, job->name, "mode"), "off"))
    log_warning ("The job is off (enabled or mode): its run will be skipped", "job", job->name,
                 "remedy", "switch it on, then pruned reload");
}

static gboolean
parse_at (gint64 *at_us, GError **error)
{
  gint64 now_us = clock_now_us ();
  *at_us = now_us - now_us % 1000;
  if (at != NULL && !cli_time (at, at_us, error)) {
    g_prefix_error (error, "--at: ");
    return FALSE;
  }
  if (*at_us <= now_us + DAY_US)
    return TRUE;
  cli_usage (error, "--at %s: more than 24 hours ahead", at);
  return FALSE;
}

static ExitCode
tick_prepare (Cli *cli, Tick *tick, GError **error)
{
  tick->job = job_left_find (cli, cli->arguments[0], error);
  if (tick->job == NULL)
    return CODE_NOT_FOUND;
  g_autofree char *reason = job_ticks_refusal (tick->job);
  if (reason != NULL)
    return cli_usage (error, "%s", reason);
  if (!parse_at (&tick->at_us, error) || (tick->args = canonical_args (tick->job, error)) == NULL)
    return CODE_USAGE;
  warn_too_old (cli, tick->at_us);
  warn_not_done (cli, tick->job);
  tick->run_id = identity_tick (tick->job->name, tick->at_us, tick->args);
  return CODE_OK;
}

static ExitCode
publish (Cli *cli, const Tick *tick, GError **error)
{
  g_autofree char *topic = cli_topic (cli, "ticks"), *time = clock_format (tick->at_us);
  const char *fields[] = { tick->job->name, time, tick->args };
  GByteArray *value = g_byte_array_new ();
  if (!message_encode_texts (TYPE, fields, value, error)) {
    g_byte_array_unref (value);
    return CODE_USAGE;
  }
  g_autoptr (KafkaMessage) message = kafka_message_new (topic, CLI_SPREAD);
  kafka_message_set_key (message, tick->job->name);
  kafka_message_take_value (message, value);
  ExitCode code = cli_publish (cli, message, TYPE, tick->run_id, error);
  if (code != CODE_OK)
    return code;
  if (output_is_json (cli->out)) {
    output_table (cli->out, COLUMNS);
    output_row (cli->out, json_string (tick->run_id), json_string (tick->job->name),
                json_string (time), json_string (topic), json_integer (message->partition),
                json_integer (message->offset));
  } else
    output_say (cli->out, "%s", tick->run_id);
  output_flush (cli->out);
  return CODE_OK;
}

/* Shows the run, which has ended or is held; the exit code tells how. */
static ExitCode
show_ended (Cli *cli, const Tick *tick, const PgRows *rows, GError **error)
{
  g_autoptr (json_t) result = cell_from_text (CELL_JSON, rows_text (rows, 0, "result"));
  run_row_show (cli->out, rows);
  if (g_strcmp0 (json_string_value (json_object_get (result, "status")), "blocked") == 0)
    return cli_fail (
        CODE_ENDED_BADLY, error,
        "job %s is blocked: %s; it is retried automatically once that is fixed (pruned doctor)",
        tick->job->name, rows_text (rows, 0, "error") != NULL ? rows_text (rows, 0, "error") : "-");
  if (g_str_equal (rows_text (rows, 0, "state"), "held"))
    return cli_fail (
        CODE_ENDED_BADLY, error,
        "run %s is %s%s; it changes no further row. To let it go on: pruned approve %s; to end it: "
        "pruned discard %s",
        tick->run_id, rows_text (rows, 0, "error"), run_view_estimated (rows, 0), tick->run_id,
        tick->run_id);
  return run_row_ended_well (rows) ? CODE_OK : CODE_ENDED_BADLY;
}

static ExitCode
await (Cli *cli, Pg *pg, const Tick *tick, GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + run_wait_s * G_USEC_PER_SEC;
  for (;;) {
    g_autoptr (PgRows) rows = run_row_find (pg, tick->run_id, tick->at_us, error);
    if (rows == NULL)
      return cli_pg_failed (pg, error);
    if (run_wait_is_over (rows))
      return show_ended (cli, tick, rows, error);
    if (clock_monotonic_us () >= deadline_us)
      return run_wait_say_why (pg, tick->run_id, tick->job->name, rows, error);
    g_usleep (RUN_WAIT_LOOK_US);
  }
}

/* With the run: who has placed it is none of the two who approve it (run_persons.sql). */
static void
note (Cli *cli, Pg *pg, const Tick *tick)
{
  g_autofree char *object = g_strdup_printf ("%s %s", tick->run_id, tick->job->name);
  cli_note_done (cli, pg, NULL, object, NULL);
}

ExitCode
command_tick (Cli *cli, GError **error)
{
  g_auto (Tick) tick = { 0 };
  g_autoptr (Pg) pg = NULL;
  ExitCode code = tick_prepare (cli, &tick, error);
  if (code != CODE_OK)
    return code;
  if (run_wait_s >= 0
      && (pg = cli_pg (cli, error)) == NULL) /* fails before anything is published */
    return CODE_POSTGRES;
  code = cli_whose (cli, pg, error);
  if (code == CODE_OK)
    code = publish (cli, &tick, error);
  if (code == CODE_OK)
    note (cli, pg, &tick);
  if (code == CODE_OK && pg != NULL)
    run_wait_warn (pg, tick.job->name);
  return code == CODE_OK && pg != NULL ? await (cli, pg, &tick, error) : code;
}
