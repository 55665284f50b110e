/* Asks PostgreSQL and Kafka independently: if one is down, the other is still shown. The result is
 * one JSON object; the screen is made from it.
 */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/dead/dead_letters.h"
#include "cli/gentle.h"
#include "cli/replica.h"
#include "cli/running_settings.h"
#include "cli/status.h"
#include "cli/status_trend.h"
#include "cli/status_lag.h"
#include "cli/stop_line.h"
#include "config/settings.h"
#include "engine/clock/processes.h"
#include "engine/ledger/mode.h"
#include "engine/outbox/topics.h"
#include "engine/step/overdue.h"
#include "engine/view/view.h"

#include <string.h>

#define TIMEOUT_MS 5000
#define WATCH_S 2
#define LONGEST_S 86400

static gint64 watch_s; /* 0: once */

static gboolean
take_watch (const char *option, const char *value, gpointer data, GError **error)
{
  guint64 seconds = WATCH_S;
  if (value != NULL && *value != '\0'
      && !g_ascii_string_to_unsigned (value, 10, 1, LONGEST_S, &seconds, NULL)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--watch=%s: not a number of seconds", value);
    return FALSE;
  }
  watch_s = (gint64)seconds;
  return TRUE;
}

const GOptionEntry status_options[]
    = { { "watch", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, take_watch,
          "show it again every S seconds (default 2), until Ctrl-C", "S" },
        { NULL } };

typedef struct {
  Cli *cli;
  json_t *found;
  Pg *pg;          /* NULL: down */
  GArray *offsets; /* of KafkaOffset; NULL: Kafka is down */
  ExitCode code;   /* of the first service that is down */
} Status;

static void
set (json_t *object, const char *key, json_t *value)
{
  json_object_set_new (object, key, value);
}

static void
note_down (Status *status, const char *what, json_t *facts, ExitCode code, const GError *error)
{
  if (json_object_get (facts, "connected") == NULL)
    set (facts, "connected", json_false ());
  set (facts, "error", json_string (error->message));
  if (status->code == CODE_OK)
    status->code = code;
  set (status->found, what, facts);
}

/* --- PostgreSQL ------------------------------------------------------------------------------- */

static void
set_cell (json_t *object, const PgRows *rows, const char *column, CellType type)
{
  set (object, column, cell_from_text (type, rows_text (rows, 0, column)));
}

static void
take_postgres (Status *status, json_t *facts, const PgRows *rows, const PgRows *schedules,
               const PgRows *stop, const PgRows *running)
{
  set (facts, "connected", json_true ());
  set_cell (facts, rows, "version", CELL_TEXT);
  set_cell (facts, rows, "database", CELL_TEXT);
  set_cell (facts, rows, "schema", CELL_NUMBER);
  set (status->found, "postgres", facts);
  set_cell (status->found, rows, "processes", CELL_JSON);
  set_cell (status->found, rows, "runs", CELL_JSON);
  set_cell (status->found, rows, "quarantine", CELL_NUMBER);
  set_cell (status->found, rows, "parked", CELL_NUMBER);
  set_cell (status->found, rows, "unpublished", CELL_NUMBER);
  set_cell (status->found, rows, "next_due", CELL_TIME);
  set_cell (status->found, rows, "paused", CELL_JSON);
  set_cell (status->found, rows, "pauses", CELL_JSON);
  set (status->found, "modes", running_settings_modes (status->cli, running));
  set_cell (status->found, rows, "blocked", CELL_JSON);
  set_cell (status->found, rows, "quiet", CELL_JSON);
  set_cell (status->found, rows, "removed", CELL_JSON);
  set_cell (status->found, rows, "overdue", CELL_JSON);
  set (status->found, "stop", stop_line_object (stop));
  json_t *next = json_object ();
  for (int i = 0; i < rows_count (schedules); i++)
    set (next, rows_text (schedules, i, "job"),
         cell_from_text (CELL_TIME, rows_text (schedules, i, "next_at")));
  set (status->found, "schedules", next);
}

/* Runs of other jobs wait for one that was removed. */
static PgValues *
known_jobs (Cli *cli)
{
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    array_add (names, jobs_at (cli->jobs, i)->name);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "known", array_take (names));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  pg_values_int (values, "known_s", OVERDUE_KNOWN_S);
  return values;
}

static gboolean
ask_postgres (Status *status, json_t *facts, GError **error)
{
  status->pg = cli_pg_bare (status->cli, error);
  if (status->pg == NULL || !cli_pg_schema (status->cli, status->pg, error)
      || !pg_begin (status->pg, error))
    return FALSE;
  g_autoptr (PgValues) values = known_jobs (status->cli);
  g_autoptr (PgRows) rows = pg_run_file (status->pg, "src/cli/sql/status.sql", values, error);
  g_autoptr (PgRows) schedules = NULL, stop = NULL;
  if (rows != NULL)
    schedules = pg_run_file (status->pg, "src/cli/sql/status_schedules.sql", NULL, error);
  if (schedules != NULL)
    stop = view_ask (status->pg, VIEW_STOP, NULL, error);
  if (stop == NULL)
    cli_pg_failed (status->pg, error);
  pg_rollback (status->pg);
  (void)!mode_read (status->pg, NULL); /* of an older schema it is not known */
  g_autoptr (PgRows) running = stop != NULL ? running_settings_look (status->pg, error) : NULL;
  if (running == NULL)
    return FALSE;
  take_postgres (status, facts, rows, schedules, stop, running);
  replica_ask (status->cli, status->pg, status->found);
  gentle_ask (status->cli, status->pg, status->found);
  return TRUE;
}

static void
look_at_postgres (Status *status)
{
  g_autoptr (GError) error = NULL;
  json_t *facts = json_object ();
  if (ask_postgres (status, facts, &error))
    return;
  if (status->pg != NULL && error->code != PRUNED_OUTAGE) /* it is up, and refuses */
    set (facts, "connected", json_true ());
  note_down (status, "postgres", facts, CODE_POSTGRES, error);
  g_clear_pointer (&status->pg, pg_free);
}

/* --- Kafka ------------------------------------------------------------------------------------ */

static void
take_topics (json_t *facts, const GArray *wanted, const KafkaTopic *found)
{
  json_t *missing = json_array (), *small = json_array ();
  for (guint i = 0; i < wanted->len; i++) {
    const WantedTopic *one = &g_array_index (wanted, WantedTopic, i);
    if (found[i].partitions < one->partitions)
      json_array_append_new (found[i].partitions < 0 ? missing : small, json_string (one->name));
  }
  set (facts, "topics", json_integer (wanted->len));
  set (facts, "missing", missing);
  set (facts, "too_few_partitions", small);
}

static void
look_at_dead (Status *status)
{
  g_autoptr (GError) error = NULL;
  gint64 n = dead_letters_waiting (status->cli, status->pg, status->offsets, &error);
  if (error != NULL)
    note_down (status, "postgres", json_object (), cli_pg_failed (status->pg, &error), error);
  if (n >= 0)
    set (status->found, "dead", json_integer (n));
}

static gboolean
ask_kafka (Status *status, char **settings, json_t *facts, GError **error)
{
  const char *const *pairs = (const char *const *)settings;
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (pairs, error);
  if (admin == NULL)
    return FALSE;
  g_autoptr (GArray) wanted = topics_wanted (status->cli->config, status->cli->jobs);
  g_autofree KafkaTopic *found = topics_found (admin, wanted, TIMEOUT_MS, error);
  if (found == NULL)
    return FALSE;
  g_autofree char *cluster = kafka_admin_cluster_id (admin, TIMEOUT_MS, error);
  if (cluster == NULL)
    return FALSE;
  const char *group = config_text (status->cli->config, "topics", "prefix");
  g_autofree char *unread = NULL;
  g_autoptr (StatusTopics) topics = status_topics (status->cli, admin, found, wanted->len);
  status->offsets = kafka_offsets (pairs, group, (const KafkaTopic *)(gpointer)topics->all->data,
                                   topics->all->len, TIMEOUT_MS, &unread, error);
  if (status->offsets == NULL)
    return FALSE;
  set (facts, "connected", json_true ());
  if (unread != NULL) {
    set (facts, "unread", json_string (unread));
    status->code = status->code == CODE_OK ? CODE_KAFKA : status->code;
  }
  set (facts, "cluster_id", json_string (cluster));
  take_topics (facts, wanted, found);
  status_take_lag (status->cli, status->pg, topics, status->offsets, status->found);
  look_at_dead (status);
  return TRUE;
}

static void
look_at_kafka (Status *status)
{
  g_autoptr (GError) error = NULL;
  json_t *facts = json_object ();
  g_auto (GStrv) settings = cli_kafka_settings (status->cli, &error);
  for (char **pair = settings; pair != NULL && *pair != NULL; pair += 2)
    if (g_str_equal (pair[0], "bootstrap.servers"))
      set (facts, "bootstrap", json_string (pair[1]));
  if (settings != NULL && ask_kafka (status, settings, facts, &error))
    set (status->found, "kafka", facts);
  else
    note_down (status, "kafka", facts, settings != NULL ? CODE_KAFKA : CODE_CONFIG, error);
}

static json_t *
stores_of (Cli *cli)
{
  const char *root = config_text (cli->config, "store.local", "root");
  g_autofree char *endpoint
      = setting_shown_url (config_text (cli->config, "store.object", "endpoint"));
  json_t *stores = json_object ();
  set (stores, "local", *root != '\0' ? json_string (root) : json_null ());
  set (stores, "object", *endpoint != '\0' ? json_string (endpoint) : json_null ());
  return stores;
}

/* Values that are not known because a service is down are null. */
static void
fill_gaps (json_t *found)
{
  const char *const keys[] = { "lanes",    "lag",       "runs", "quarantine", "dead",
                               "throttle", "dead_rows", "stop", "replica",    "processes" };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (json_object_get (found, keys[i]) == NULL)
      set (found, keys[i], json_null ());
}

static ExitCode
look_once (Cli *cli)
{
  g_autoptr (json_t) found = json_object ();
  Status status = { .cli = cli, .found = found };
  look_at_postgres (&status);
  look_at_kafka (&status);
  set (found, "stores", stores_of (cli));
  if (!output_is_json (cli->out))
    status_say (cli, found);
  if (!output_is_json (cli->out) && watch_s > 0)
    status_trend_say (cli->out, found);
  fill_gaps (found);
  output_object (cli->out, found);
  g_clear_pointer (&status.pg, pg_free);
  g_clear_pointer (&status.offsets, g_array_unref);
  return status.code;
}

ExitCode
command_status (Cli *cli, GError **error)
{
  ExitCode code = CODE_OK;
  do {
    if (watch_s > 0)
      output_clear (cli->out);
    code = look_once (cli);
    output_flush (cli->out);
    g_usleep ((gulong)watch_s * G_USEC_PER_SEC);
  } while (watch_s > 0); /* until somebody ends the command */
  return code;
}
