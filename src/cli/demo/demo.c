/* Everything on this machine, in a folder that is gone afterwards: a private PostgreSQL with a believable instance, the
 * daemon with Kafka embedded (or somebody's Kafka, with topics of its own), a tick for every job, and what came of it. The
 * daemon and the commands that are shown are this same program, run as a reader would run them.
 */
#include "cli/demo/demo.h"

#include "base/clock.h"
#include "base/resource.h"
#include "cli/commands.h"
#include "cli/demo/files.h"
#include "engine/topics.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define SELF "/proc/self/exe"
#define START_US (30 * G_USEC_PER_SEC)
#define LOOK_US (20 * 1000)
#define DAEMON_STOP_MS 15000

static char *kafka;
static gboolean keep;
static volatile sig_atomic_t interrupted;

const GOptionEntry demo_options[] = {
  { "kafka", 0, 0, G_OPTION_ARG_STRING, &kafka, "use this Kafka instead of the embedded one; our topics are removed at the end",
    "HOST:PORT" },
  { "keep", 0, 0, G_OPTION_ARG_NONE, &keep, "leave it running until Ctrl-C", NULL },
  { NULL }
};

static void
note_signal (int number)
{
  interrupted = 1;
}

gboolean
demo_is_interrupted (GError **error)
{
  if (interrupted)
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "interrupted");
  return interrupted;
}

void
demo_title (Demo *demo, const char *text)
{
  gboolean bold = isatty (STDOUT_FILENO) && g_getenv ("NO_COLOR") == NULL;
  output_say (demo->cli->out, "\n%s%s%s", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

PgRows *
demo_ask (Demo *demo, const char *file, GError **error)
{
  if (!pg_begin (demo->pg, error))
    return NULL;
  PgRows *rows = pg_run_file (demo->pg, file, NULL, error);
  pg_rollback (demo->pg);
  return rows;
}

gboolean
demo_type (Demo *demo, GError **error, const char *argument, ...)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GString) shown = g_string_new ("$ pruned");
  const char *const begin[] = { SELF, "-c", demo->conf, NULL };
  for (guint i = 0; begin[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer)begin[i]);
  if (output_is_json (demo->cli->out))
    g_ptr_array_add (argv, "--json");
  va_list list;
  va_start (list, argument);
  for (const char *word = argument; word != NULL; word = va_arg (list, const char *)) {
    g_ptr_array_add (argv, (gpointer)word);
    g_string_append_printf (shown, " %s", word);
  }
  va_end (list);
  g_ptr_array_add (argv, NULL);
  output_say (demo->cli->out, "%s", shown->str);
  output_flush (demo->cli->out);
  return child_run ((const char *const *)argv->pdata, demo->folder, NULL, NULL, error);
}

gboolean
demo_tick (Demo *demo, const char *job, GError **error)
{
  demo->ticks++;
  return demo_type (demo, error, "tick", job, NULL);
}

/* --- steps ------------------------------------------------------------------------------------------- */

/* Short times, so that the whole is seen within a minute. */
static gboolean
write_conf (Demo *demo, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (Jobs) jobs = jobs_load (NULL, error);
  if (jobs == NULL)
    return FALSE;
  g_string_append_printf (text, "[postgres]\nurl = %s\n\n[topics]\nprefix = %s\npartitions = 2\n\n"
                          "[store.local]\nroot = %s\nprune_empty_dirs = on\n",
                          server_url (demo->server), demo->prefix, demo->objects);
  for (guint i = 0; i < jobs_count (jobs); i++)
    g_string_append_printf (text, "\n[jobs.%s]\ndelay_ms = 200\nspacing_ms = 50\nrefresh_delay_ms = 1000\ntodos_delay_ms = 1000\n",
                            jobs_at (jobs, i)->name);
  if (demo->bootstrap != NULL)
    g_string_append_printf (text, "\n[kafka]\nbootstrap.servers = %s\n", demo->bootstrap);
  return g_file_set_contents (demo->conf, text->str, (gssize)text->len, error);
}

static gboolean
make_server (Demo *demo, GError **error)
{
  g_autoptr (GError) cause = NULL;
  demo->server = server_new (demo->folder, error);
  if (demo->server == NULL || !write_conf (demo, error) || !cli_load (demo->cli, demo->conf, NULL, error))
    return FALSE;
  gint64 deadline_us = clock_monotonic_us () + START_US;
  while ((demo->pg = cli_pg_bare (demo->cli, &cause)) == NULL) {
    if (!server_is_running (demo->server) || clock_monotonic_us () > deadline_us) {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
    if (demo_is_interrupted (error))
      return FALSE;
    g_clear_error (&cause);
    g_usleep (LOOK_US);
  }
  return TRUE;
}

static gboolean
load_file (Demo *demo, const char *file, GError **error)
{
  g_autofree char *text = resource_text (file, error);
  if (text != NULL && pg_script (demo->pg, text, error))
    return TRUE;
  g_prefix_error (error, "%s: ", file);
  return FALSE;
}

static gboolean
make_files (Demo *demo, GError **error)
{
  g_autoptr (PgRows) paths = demo_ask (demo, "src/cli/demo/sql/files.sql", error);
  if (paths == NULL || !files_make (demo->objects, paths, error))
    return FALSE;
  demo->files = files_count (demo->objects);
  return TRUE;
}

static gboolean
fill (Demo *demo, GError **error)
{
  if (!load_file (demo, "schemas/app/tables.sql", error) || !load_file (demo, "schemas/app/demo.sql", error)
      || !pg_script (demo->pg, "ANALYZE", error) || !make_files (demo, error))
    return FALSE;
  demo->before = demo_ask (demo, "src/cli/demo/sql/counts.sql", error);
  return demo->before != NULL && demo_type (demo, error, "migrate", "--indexes", NULL);
}

/* What the daemon says of its embedded Kafka; NULL: nothing yet. */
static char *
find_bootstrap (const char *log)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (log, &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_autoptr (json_t) line = json_parse (lines[i], strlen (lines[i]), NULL);
    const char *message = json_string_value (json_object_get (line, "message"));
    if (g_strcmp0 (message, "embedded Kafka listens") == 0)
      return g_strdup (json_string_value (json_object_get (line, "bootstrap")));
  }
  return NULL;
}

static gboolean
await_bootstrap (Demo *demo, GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + START_US;
  while ((demo->bootstrap = find_bootstrap (demo->log)) == NULL) {
    if (demo_is_interrupted (error))
      return FALSE;
    if (!child_is_running (demo->daemon) || clock_monotonic_us () > deadline_us) {
      g_autofree char *log = NULL;
      g_file_get_contents (demo->log, &log, NULL, NULL);
      g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "the daemon did not start: %s", log != NULL ? log : "it says nothing");
      return FALSE;
    }
    g_usleep (LOOK_US);
  }
  return write_conf (demo, error); /* so that commands find it, too */
}

static gboolean
start_daemon (Demo *demo, GError **error)
{
  gboolean embedded = kafka == NULL;
  const char *argv[] = { SELF, "-c", demo->conf, "-s", "log.format=json", "run", embedded ? "--embedded-kafka" : NULL, NULL };
  if (!embedded && !demo_type (demo, error, "topics", "--apply", NULL))
    return FALSE;
  output_say (demo->cli->out, "$ pruned run%s &", embedded ? " --embedded-kafka" : "");
  demo->daemon = child_new (argv, demo->folder, demo->log, NULL, error);
  if (demo->daemon == NULL || (embedded && !await_bootstrap (demo, error)))
    return FALSE;
  output_say (demo->cli->out, "Kafka listens at %s", demo->bootstrap);
  return TRUE;
}

static gboolean
tick_all (Demo *demo, GError **error)
{
  const Jobs *jobs = demo->cli->jobs;
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    if (job->by_tick && (demo_is_interrupted (error) || !demo_tick (demo, job->name, error)))
      return FALSE;
  }
  return TRUE;
}

static void
say_more (Demo *demo)
{
  Output *out = demo->cli->out;
  output_say (out, "\nTo look further, in another terminal:\n"
                   "  pruned -c %s runs\n  pruned -c %s status\n  psql -h %s -U postgres postgres\n"
                   "  kcat -b %s -C -t %s.outcomes -e -f '%%h\\n'\n  tail %s",
              demo->conf, demo->conf, demo->folder, demo->bootstrap, demo->prefix, demo->log);
}

/* A reader at a terminal may want to look; a script does not. */
static gboolean
stay (Demo *demo, GError **error)
{
  gboolean asked = isatty (STDIN_FILENO) && isatty (STDOUT_FILENO) && !keep;
  struct pollfd input = { asked ? STDIN_FILENO : -1, POLLIN, 0 };
  say_more (demo);
  if (!asked && !keep)
    return TRUE;
  output_say (demo->cli->out, "\n%s ends it, and nothing is left behind.", keep ? "Ctrl-C" : "Enter");
  output_flush (demo->cli->out);
  while (!interrupted && poll (&input, 1, 200) <= 0 && child_is_running (demo->daemon))
    ;
  interrupted = 0; /* that was the answer */
  return TRUE;
}

static const struct {
  const char *title;
  gboolean (*run) (Demo *demo, GError **error);
  ExitCode code; /* if it fails */
} STEPS[] = {
  { "A private PostgreSQL", make_server, CODE_POSTGRES },
  { "A believable instance, schema pruned, the indexes that jobs want", fill, CODE_POSTGRES },
  { "The daemon", start_daemon, CODE_KAFKA },
  { "A tick for every job", tick_all, CODE_KAFKA },
  { "The work", demo_watch, CODE_POSTGRES },
  { "What came of it", demo_show, CODE_POSTGRES },
  { NULL, stay, CODE_BUG },
};

/* --- life -------------------------------------------------------------------------------------------- */

/* A stray setting of the reader's own installation must not reach the demo. */
static void
forget_environment (void)
{
  g_auto (GStrv) names = g_listenv ();
  for (char **name = names; *name != NULL; name++)
    if (g_str_has_prefix (*name, "PRUNED_"))
      g_unsetenv (*name);
}

static void
catch_signals (void)
{
  struct sigaction action = { .sa_handler = note_signal };
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGHUP, &action, NULL);
}

static gboolean
demo_open (Demo *demo, GError **error)
{
  demo->folder = g_dir_make_tmp ("pruned-demo-XXXXXX", error);
  if (demo->folder == NULL)
    return FALSE;
  demo->conf = g_build_filename (demo->folder, "pruned.conf", NULL);
  demo->log = g_build_filename (demo->folder, "daemon.log", NULL);
  demo->objects = g_build_filename (demo->folder, "objects", NULL);
  demo->prefix = kafka != NULL ? g_path_get_basename (demo->folder) : g_strdup ("pruned");
  demo->bootstrap = g_strdup (kafka);
  return TRUE;
}

static gboolean
remove_topics (Demo *demo, GError **error)
{
  const char *settings[] = { "bootstrap.servers", kafka, NULL };
  g_autoptr (KafkaAdmin) admin = kafka_admin_new (settings, error);
  g_autoptr (GArray) topics = topics_wanted (demo->cli->config, demo->cli->jobs);
  for (guint i = 0; admin != NULL && i < topics->len; i++)
    if (!kafka_admin_remove (admin, g_array_index (topics, WantedTopic, i).name, error))
      return FALSE;
  return admin != NULL;
}

/* Returns the first thing that could not be cleaned away. */
static gboolean
demo_close (Demo *demo, GError **error)
{
  gboolean clean = TRUE;
  if (demo->daemon != NULL)
    child_stop (demo->daemon, SIGTERM, DAEMON_STOP_MS);
  if (kafka != NULL && demo->daemon != NULL)
    clean = remove_topics (demo, error);
  g_clear_pointer (&demo->before, rows_free);
  g_clear_pointer (&demo->pg, pg_free);
  g_clear_pointer (&demo->daemon, child_free);
  g_clear_pointer (&demo->server, server_free);
  const char *argv[] = { "rm", "-rf", demo->folder, NULL };
  if (demo->folder != NULL)
    clean = child_run (argv, "/", NULL, NULL, clean ? error : NULL) && clean;
  g_free (demo->folder);
  g_free (demo->conf);
  g_free (demo->log);
  g_free (demo->objects);
  g_free (demo->prefix);
  g_free (demo->bootstrap);
  return clean;
}

static ExitCode
run_steps (Demo *demo, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (STEPS); i++) {
    if (demo_is_interrupted (error))
      return CODE_USAGE;
    if (STEPS[i].title != NULL)
      demo_title (demo, STEPS[i].title);
    output_flush (demo->cli->out);
    if (!STEPS[i].run (demo, error))
      return STEPS[i].code;
  }
  return CODE_OK;
}

ExitCode
command_demo (Cli *cli, GError **error)
{
  Demo demo = { .cli = cli, .began_us = clock_monotonic_us () };
  forget_environment ();
  catch_signals ();
  ExitCode code = demo_open (&demo, error) ? run_steps (&demo, error) : CODE_BUG;
  gboolean clean = demo_close (&demo, code == CODE_OK ? error : NULL);
  return code == CODE_OK && !clean ? CODE_BUG : code;
}
