/* Everything on this machine, in a folder that is removed at the end: a private PostgreSQL with a
 * realistic instance, the daemon with an embedded Kafka (or a Kafka of the user's, with topics of
 * the demo's own), a tick for every job, and the results. The daemon and the commands that are
 * shown are this same program, run as a reader would run them.
 *
 * It costs the binary 74 KB: 16 KB of code, 37 KB of SQL (sql/), 21 KB for the application's tables
 * (schemas/app).
 */
#include "cli/demo/demo.h"

#include "base/clock.h"
#include "cli/commands.h"
#include "engine/outbox/topics.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define DAEMON_STOP_MS 15000
#define DYING_US (200 * 1000)

static char *kafka;
static gboolean keep;

const GOptionEntry demo_options[]
    = { { "kafka", 0, 0, G_OPTION_ARG_STRING, &kafka,
          "use this Kafka instead of the embedded one; the demo removes its topics at the end",
          "HOST:PORT" },
        { "keep", 0, 0, G_OPTION_ARG_NONE, &keep, "leave it running until Ctrl-C", NULL },
        { NULL } };

/* --- steps ------------------------------------------------------------------------------------ */

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

/* Waits for a user at a terminal, who may want to look around; a script does not wait. */
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
  while (!demo_is_interrupted (NULL) && poll (&input, 1, 200) <= 0
         && child_is_running (demo->daemon))
    ;
  demo_forget_interrupt (); /* Ctrl-C ended the wait, not the demo */
  return TRUE;
}

static const struct {
  const char *title;
  gboolean (*run) (Demo *demo, GError **error);
  ExitCode code; /* if it fails */
} STEPS[] = {
  { "A private PostgreSQL", demo_make_server, CODE_POSTGRES },
  { "A realistic instance, schema pruned, the indexes that jobs need", demo_fill, CODE_POSTGRES },
  { "The daemon", demo_start_daemon, CODE_KAFKA },
  { "A tick for every job", tick_all, CODE_KAFKA },
  { "The work", demo_watch, CODE_POSTGRES },
  { "The results", demo_show, CODE_POSTGRES },
  { NULL, stay, CODE_BUG },
};

/* --- life ------------------------------------------------------------------------------------- */

/* Settings of the user's own installation must not reach the demo. */
static void
forget_environment (void)
{
  g_auto (GStrv) names = g_listenv ();
  for (char **name = names; *name != NULL; name++)
    if (g_str_has_prefix (*name, "PRUNED_"))
      g_unsetenv (*name);
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
  demo->external_kafka = kafka != NULL;
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

/* ERROR is the first thing that could not be cleaned up. */
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

/* A step that fails because the daemon has died says so. Its connections end before it does. */
static void
blame_daemon (Demo *demo, GError **error)
{
  g_autoptr (GError) died = NULL;
  const gint64 until_us = clock_monotonic_us () + DYING_US;
  if (demo->daemon == NULL)
    return;
  while (child_is_running (demo->daemon) && clock_monotonic_us () < until_us)
    g_usleep (DYING_US / 20);
  if (demo_daemon_is_there (demo, &died))
    return;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&died));
}

static ExitCode
step_set_run (Demo *demo, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (STEPS); i++) {
    if (demo_is_interrupted (error))
      return CODE_USAGE;
    if (STEPS[i].title != NULL)
      demo_title (demo, STEPS[i].title);
    output_flush (demo->cli->out);
    if (!STEPS[i].run (demo, error)) {
      blame_daemon (demo, error);
      return STEPS[i].code;
    }
  }
  return CODE_OK;
}

ExitCode
command_demo (Cli *cli, GError **error)
{
  Demo demo = { .cli = cli, .began_us = clock_monotonic_us () };
  forget_environment ();
  demo_catch_signals ();
  ExitCode code = demo_open (&demo, error) ? step_set_run (&demo, error) : CODE_BUG;
  gboolean clean = demo_close (&demo, code == CODE_OK ? error : NULL);
  return code == CODE_OK && !clean ? CODE_BUG : code;
}
