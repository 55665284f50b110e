/* Sets up everything before the first tick: the private PostgreSQL and its data, the configuration,
 * the daemon. */
#include "base/clock.h"
#include "base/resource.h"
#include "cli/demo/demo.h"
#include "cli/demo/files.h"

#include <string.h>

#define START_US (30 * G_USEC_PER_SEC)
#define LOOK_US (20 * 1000)
#define LAST_LINES 10

/* Short delays, so that the demo takes less than a minute; of each job those that it reads. */
static void
append_delays (GString *text, const Job *job)
{
  static const struct {
    const char *key;
    int ms;
  } delays[] = { { "delay_ms", 200 },
                 { "spacing_ms", 50 },
                 { "refresh_delay_ms", 1000 },
                 { "todos_delay_ms", 1000 } };
  g_string_append_printf (text, "\n[jobs.%s]\n", job->name);
  for (guint i = 0; i < G_N_ELEMENTS (delays); i++)
    if (job_reads (job, delays[i].key))
      g_string_append_printf (text, "%s = %d\n", delays[i].key, delays[i].ms);
}

static gboolean
write_conf (Demo *demo, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (Jobs) jobs = jobs_load (demo->cli->code, NULL, error);
  if (jobs == NULL)
    return FALSE;
  g_string_append_printf (
      text,
      "[run]\nmode = apply\njobs_dir =\n\n[postgres]\nurl = %s\n\n[topics]\nprefix = %s\npartitions = 2\n\n"
      "[store.local]\nroot = %s\nprune_empty_dirs = on\n",
      server_url (demo->server), demo->prefix, demo->objects);
  for (guint i = 0; i < jobs_count (jobs); i++)
    append_delays (text, jobs_at (jobs, i));
  if (demo->bootstrap != NULL)
    g_string_append_printf (text, "\n[kafka]\nbootstrap.servers = %s\n", demo->bootstrap);
  return g_file_set_contents (demo->conf, text->str, (gssize)text->len, error);
}

gboolean
demo_make_server (Demo *demo, GError **error)
{
  g_autoptr (GError) cause = NULL;
  demo->server = server_new (demo->folder, error);
  if (demo->server == NULL || !write_conf (demo, error)
      || !cli_load (demo->cli, demo->conf, NULL, error))
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

gboolean
demo_fill (Demo *demo, GError **error)
{
  if (!load_file (demo, "schemas/app/tables.sql", error)
      || !load_file (demo, "schemas/app/fill_begin.sql", error)
      || !load_file (demo, "src/cli/demo/sql/instance.sql", error)
      || !load_file (demo, "schemas/app/fill_end.sql", error) || !make_files (demo, error))
    return FALSE;
  demo->before = demo_ask (demo, "src/cli/demo/sql/counts.sql", error);
  return demo->before != NULL && demo_type (demo, error, "migrate", "--indexes", NULL);
}

/* The address of the embedded Kafka, from the daemon's log; NULL: not there yet. */
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

/* The end of the daemon's log, which has the reason. */
static char *
last_lines (const char *log)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (log, &text, NULL, NULL) || text[0] == '\0')
    return g_strdup ("its log is empty");
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  guint n = g_strv_length (lines);
  return g_strjoinv ("\n", lines + (n > LAST_LINES ? n - LAST_LINES : 0));
}

gboolean
demo_daemon_is_there (Demo *demo, GError **error)
{
  if (child_is_running (demo->daemon))
    return TRUE;
  g_autofree char *words = last_lines (demo->log);
  return error_fatal (error, "the daemon has ended:\n%s", words);
}

static gboolean
await_bootstrap (Demo *demo, GError **error)
{
  gint64 deadline_us = clock_monotonic_us () + START_US;
  while ((demo->bootstrap = find_bootstrap (demo->log)) == NULL) {
    if (demo_is_interrupted (error))
      return FALSE;
    if (!demo_daemon_is_there (demo, error))
      return FALSE;
    if (clock_monotonic_us () > deadline_us) {
      g_autofree char *words = last_lines (demo->log);
      return error_fatal (error, "the daemon did not start:\n%s", words);
    }
    g_usleep (LOOK_US);
  }
  return write_conf (demo, error); /* so that commands use it as well */
}

gboolean
demo_start_daemon (Demo *demo, GError **error)
{
  gboolean embedded = !demo->external_kafka;
  const char *argv[] = { DEMO_SELF,
                         "-c",
                         demo->conf,
                         "-s",
                         "log.format=json",
                         "run",
                         embedded ? "--embedded-kafka" : NULL,
                         NULL };
  if (!embedded && !demo_type (demo, error, "topics", "--apply", NULL))
    return FALSE;
  output_say (demo->cli->out, "$ pruned run%s &", embedded ? " --embedded-kafka" : "");
  demo->daemon = child_new (argv, demo->folder, demo->log, NULL, error);
  if (demo->daemon == NULL || (embedded && !await_bootstrap (demo, error)))
    return FALSE;
  output_say (demo->cli->out, "Kafka listens at %s", demo->bootstrap);
  return TRUE;
}
