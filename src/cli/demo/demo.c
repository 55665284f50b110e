/* Everything on this machine, in a folder that is gone afterwards: a private PostgreSQL with a
 * believable instance, the daemon with Kafka embedded (or somebody's Kafka, with topics of its
 * own), a tick for every job, and what came of it. The daemon and the commands that are shown are
 * this same program, run as a reader would run them.
 */
#include "cli/demo/demo.h"

#include "base/clock.h"
#include "cli/commands.h"
#include "engine/outbox/topics.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define DAEMON_STOP_MS 15000

static char *kafka;
static gboolean keep;
static volatile sig_atomic_t interrupted;

const GOptionEntry demo_options[]
    = { { "kafka", 0, 0, G_OPTION_ARG_STRING, &kafka,
          "use this Kafka instead of the embedded one; our topics are removed at the end",
          "HOST:PORT" },
        { "keep", 0, 0, G_OPTION_ARG_NONE, &keep, "leave it running until Ctrl-C", NULL },
        { NULL } };

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
  const char *const begin[] = { DEMO_SELF, "-c", demo->conf, NULL };
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

/* --- steps
 * ------------------------------------------------------------------------------------------- */

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
say_more (Demo *demo, gboolean stays)
{
  Output *out = demo->cli->out;
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL),
                  *installed = g_find_program_in_path ("pruned");
  const char *pruned = self == NULL || g_strcmp0 (self, installed) == 0 ? "pruned" : self;
  output_say (out, stays ? "\nTo look further, in another terminal:"
                         : "\nTo look further, start it with --keep; then, in another terminal:");
  output_say (out,
              "  %s -c %s runs\n  %s -c %s status\n  psql -h %s -U postgres postgres\n"
              "  kcat -b %s -C -t %s.outcomes -e -f '%%h\\n'\n  tail %s",
              pruned, demo->conf, pruned, demo->conf, demo->folder, demo->bootstrap, demo->prefix,
              demo->log);
}

/* A reader at a terminal may want to look; a script does not. */
static gboolean
stay (Demo *demo, GError **error)
{
  gboolean asked = isatty (STDIN_FILENO) && isatty (STDOUT_FILENO) && !keep;
  struct pollfd input = { asked ? STDIN_FILENO : -1, POLLIN, 0 };
  say_more (demo, asked || keep);
  if (!asked && !keep)
    return TRUE;
  output_say (demo->cli->out, "\n%s ends it, and nothing is left behind.",
              keep ? "Ctrl-C" : "Enter");
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
  { "A private PostgreSQL", demo_make_server, CODE_POSTGRES },
  { "A believable instance, schema pruned, the indexes that jobs want", demo_fill, CODE_POSTGRES },
  { "The daemon", demo_start_daemon, CODE_KAFKA },
  { "A tick for every job", tick_all, CODE_KAFKA },
  { "The work", demo_watch, CODE_POSTGRES },
  { "What came of it", demo_show, CODE_POSTGRES },
  { NULL, stay, CODE_BUG },
};

/* --- life
 * -------------------------------------------------------------------------------------------- */

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
  demo->somebodys = kafka != NULL;
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
