#include "cli/cli.h"

#include "avro/message.h"
#include "base/clock.h"
#include "base/log_queue.h"
#include "base/visible.h"
#include "cli/arguments.h"
#include "cli/note.h"
#include "cli/whose.h"
#include "base/words.h"
#include "config/settings.h"
#include "engine/engine.h"
#include "engine/job/by_tables.h"
#include "engine/job/chosen.h"
#include "engine/job/in_force.h"
#include "kafka/kafka.h"
#include "kafka/ours.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LAST_LINES_MS 500 /* to write the last log lines; after that they are dropped */

Job *
cli_job (Cli *cli, const char *name, GError **error)
{
  Job *job = jobs_asked (cli->jobs, name);
  if (job == NULL && jobs_find_loaded (cli->jobs, name) != NULL)
    (void)cli_fail (CODE_NOT_FOUND, error, "job %s is not in force: %s", name,
                    *config_text (cli->config, "run", "jobs") != '\0'
                        ? "[run] jobs does not choose it"
                        : "the database lacks its tables (pruned doctor names them)");
  else if (job == NULL)
    arguments_set_unknown (error, "job", name, jobs_names (cli->jobs));
  return job;
}

void
cli_end_jobs (Output *out)
{
  output_end_list (out, "No job is in force: `pruned new NAME --table TABLE` writes one, `pruned "
                        "doctor` says which built-in ones are left out.");
}

void
cli_say_refused (Cli *cli)
{
  for (guint i = 0; i < jobs_refused_count (cli->jobs); i++) {
    const JobRefused *one = jobs_refused_at (cli->jobs, i);
    log_error ("Job refused", "job", one->name, "place", one->place, "reason", one->reason);
  }
}

gboolean
cli_time (const char *text, gint64 *us, GError **error)
{
  return clock_parse_loose (text, clock_now_us (), us, error);
}

/* With JSON logs the error is a log line as well; otherwise it is a sentence. Errors of libpq have
 * several lines. */
static void
say_error (const Cli *cli, const GError *error)
{
  g_autofree char *text = words_in_one_line (error->message);
  if (cli->config != NULL && g_str_equal (config_text (cli->config, "log", "format"), "json"))
    log_error (text, "command", cli->command->name);
  else {
    g_autofree char *shown = visible_line (text);
    fprintf (stderr, "pruned: %s\n", shown);
  }
}

static void
set_up_log (const Config *config)
{
  LogLevel level = LOG_INFO;
  gboolean known = log_level_parse (config_text (config, "log", "level"), &level);
  g_assert (known);
  log_setup (level, g_str_equal (config_text (config, "log", "format"), "json"));
}

static void
say_ineffective (const Config *config)
{
  for (const char *const *line = config_ineffective (config); *line != NULL; line++)
    log_warning ("Configuration has no effect", "setting", *line);
}

/* Listings leave out what is not in force. */
static void
leave_out (const Jobs *jobs, Config *config)
{
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++)
    if (jobs_find (jobs, *name) == NULL)
      config_leave_out (config, *name);
}

static gboolean
choose_jobs (Cli *cli, GError **error)
{
  if (!chosen_take (cli->jobs, config_text (cli->config, "run", "jobs"), error)) {
    g_prefix_error (error, "%s: jobs in [run]: ", config_origin (cli->config, "run", "jobs"));
    return FALSE;
  }
  leave_out (cli->jobs, cli->config);
  return TRUE;
}

/* The folder of the user's jobs, the prefix of topics, and whether there are a schema registry and
 * a ledger of erasures, are settings, which are read ahead. They stay until the process ends. */
static JobSources
sources_of (Cli *cli)
{
  JobSources own = { 0 };
  own.config = config_file_name (cli->file, &own.config_must_exist);
  own.no_registry = cli->no_registry;
  own.no_ledger = cli->no_ledger;
  own.prefix = cli->prefix != NULL ? cli->prefix : CONFIG_PREFIX;
  own.folder_must_exist = cli->jobs_dir != NULL;
  own.folder = cli->jobs_dir != NULL ? cli->jobs_dir : CONFIG_JOBS_DIR;
  return own;
}

static Jobs *
load_jobs (Cli *cli, const ConfigSources *sources, GError **error)
{
  cli->jobs_dir = config_peek (sources, "run", "jobs_dir");
  cli->prefix = config_peek (sources, "topics", "prefix");
  g_autofree char *registry = config_peek (sources, "registry", "url");
  cli->no_registry = registry == NULL || *registry == '\0';
  g_autofree char *ledger = config_peek (sources, "erasures", "ledger");
  cli->no_ledger = ledger == NULL || g_str_equal (ledger, "off");
  JobSources own = sources_of (cli);
  return jobs_load (cli->code, &own, error);
}

/* Without an answer no job that was left out comes back now. */
static GHashTable *
look_for_tables (Cli *cli, const Jobs *now, Pg *pg)
{
  if (*config_text (cli->config, "run", "jobs") != '\0')
    return NULL;
  g_autoptr (GError) error = NULL;
  GHashTable *absent
      = by_tables_absent (pg, now, config_text (cli->config, "postgres", "app_schema"), &error);
  if (absent == NULL)
    log_warning ("Could not look for the tables of built-in jobs", "error", error->message);
  return absent;
}

Jobs *
cli_reload_jobs (Cli *cli, const Jobs *now, Pg *pg, JobsCheck check, gpointer of_check,
                 GError **error)
{
  JobSources own = sources_of (cli);
  g_autoptr (GHashTable) absent = look_for_tables (cli, now, pg);
  return jobs_load_again (now, &own, absent, check, of_check, error);
}

/* Jobs are loaded before the settings, because their names are sections. */
gboolean
cli_load (Cli *cli, const char *file, const char *const *overrides, GError **error)
{
  ConfigSources sources = { .file = file, .overrides = overrides };
  cli->file = file;
  cli->overrides = overrides;
  message_setup ();
  setting_kafka_known (kafka_setting_known);
  setting_kafka_ours (kafka_ours_refusal);
  cli->jobs = load_jobs (cli, &sources, error);
  if (cli->jobs == NULL)
    return FALSE;
  sources.job_names = jobs_sections (cli->jobs);
  sources.job_default = jobs_default;
  sources.job_default_place = jobs_default_place;
  sources.data = cli->jobs;
  cli->config = config_load (&sources, error);
  if (cli->config == NULL || !choose_jobs (cli, error))
    return FALSE;
  set_up_log (cli->config);
  say_ineffective (cli->config);
  g_autofree char *foreign = config_foreign (cli->config);
  if (foreign != NULL)
    log_warning ("Ignored environment variables that are not settings", "variables", foreign);
  jobs_configure (cli->jobs, cli->config);
  return in_force_begin (cli->jobs, cli->config, error);
}

Config *
cli_reread (Cli *cli, Jobs *jobs, GError **error)
{
  ConfigSources sources = { .file = cli->file,
                            .overrides = cli->overrides,
                            .job_names = jobs_sections (jobs),
                            .job_default = jobs_default,
                            .job_default_place = jobs_default_place,
                            .data = jobs };
  Config *config = config_load (&sources, error);
  if (config != NULL) {
    leave_out (jobs, config);
    say_ineffective (config);
  }
  return config;
}

/* Without a choice, the jobs whose tables the database lacks are not in force, for no command: what
 * one sends, and what it waits for, is what a daemon takes. A daemon must know that; a command that
 * finds no database has another error to tell, and one that is urgent asks nothing first. */
gboolean
cli_look_at_tables (Cli *cli, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (cli->command->urgent || *config_text (cli->config, "run", "jobs") != '\0'
      || *config_text (cli->config, "postgres", "url") == '\0')
    return TRUE;
  Pg *pg = cli_pg_bare (cli, &cause);
  const char *schema = config_text (cli->config, "postgres", "app_schema");
  g_autoptr (GHashTable) absent
      = pg != NULL ? by_tables_absent (pg, cli->jobs, schema, &cause) : NULL;
  cli_pg_keep (pg);
  if (absent != NULL) {
    chosen_without (cli->jobs, absent);
    g_clear_pointer (&cli->absent, g_hash_table_unref); /* `migrate --topics` looks again */
    cli->absent = g_steal_pointer (&absent);
    leave_out (cli->jobs, cli->config);
    jobs_configure (cli->jobs, cli->config);
    return in_force_begin (cli->jobs, cli->config, error);
  }
  if (!cli->command->is_daemon)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* `postgres.KEY=VALUE` of what the sources say, wrong as they may be elsewhere, and no jobs of the
 * user; the first is the address. NULL: there is none. */
static GPtrArray *
postgres_only (const Invocation *invocation)
{
  static const char *const KEYS[] = { "url", "prepare", "app_schema", "extension_schemas" };
  ConfigSources sources = { .file = invocation->file,
                            .overrides = (const char *const *)invocation->overrides->pdata };
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (KEYS); i++) {
    g_autofree char *value = config_peek (&sources, "postgres", KEYS[i]);
    if (i == 0 && (value == NULL || *value == '\0'))
      return NULL;
    if (value != NULL)
      g_ptr_array_add (found, g_strdup_printf ("postgres.%s=%s", KEYS[i], value));
  }
  g_ptr_array_add (found, g_strdup ("run.jobs_dir="));
  g_ptr_array_add (found, NULL);
  return g_steal_pointer (&found);
}

/* Whoever stops everything must not have to mend a file first. WHY: what is wrong with it. */
static gboolean
load_urgently (Cli *cli, const Invocation *invocation, const GError *why)
{
  cli->urgent = cli->command->urgent ? postgres_only (invocation) : NULL;
  if (cli->urgent == NULL)
    return FALSE;
  g_clear_pointer (&cli->config, config_free);
  g_clear_pointer (&cli->jobs, jobs_free);
  g_clear_pointer (&cli->jobs_dir, g_free);
  g_clear_pointer (&cli->prefix, g_free);
  if (!cli_load (cli, "/dev/null", (const char *const *)cli->urgent->pdata, NULL))
    return FALSE;
  log_warning ("The configuration has an error; of it only [postgres] is used", "error",
               why->message);
  return TRUE;
}

static ExitCode
run_command (Cli *cli, const Invocation *invocation, GError **error)
{
  if (cli->command->is_daemon)
    engine_expect ();
  if (cli->command->bare)
    return cli->command->run (cli, error);
  g_autoptr (GError) wrong = NULL;
  if (!cli_load (cli, invocation->file, (const char *const *)invocation->overrides->pdata, &wrong)
      && !load_urgently (cli, invocation, wrong)) {
    g_propagate_error (error, g_steal_pointer (&wrong));
    return CODE_CONFIG;
  }
  if (!cli_act_for_page (cli, error) || !cli_look_at_tables (cli, error))
    return cli->left_behind ? CODE_CONFIG : CODE_POSTGRES;
  if (cli->command->is_daemon)
    cli_pg_keep (NULL);
  return cli->command->run (cli, error);
}

static int
run_invocation (const JobCode *code, const Invocation *invocation)
{
  g_autoptr (GError) error = NULL;
  Cli cli = { .command = invocation->command,
              .code = code,
              .may_commit = cli_whose_may_commit,
              .arguments = (char **)invocation->arguments->pdata,
              .file = invocation->file,
              .overrides = (const char *const *)invocation->overrides->pdata,
              .n_arguments = invocation->arguments->len - 1,
              .out = output_new (invocation->json, isatty (STDOUT_FILENO)) };
  cli_whose_begin (&cli);
  ExitCode end = run_command (&cli, invocation, &error);
  if (!output_free (cli.out) && end == CODE_OK)
    end = cli_fail (CODE_BUG, &error, "cannot write to standard output");
  if (error != NULL)
    say_error (&cli, error);
  cli_pg_keep (NULL);
  log_queue_drain (LAST_LINES_MS);
  if (cli.jobs != NULL)
    in_force_end (cli.jobs);
  g_clear_pointer (&cli.config, config_free);
  g_clear_pointer (&cli.jobs, jobs_free);
  g_clear_pointer (&cli.urgent, g_ptr_array_unref);
  g_clear_pointer (&cli.absent, g_hash_table_unref);
  g_free (cli.jobs_dir);
  g_free (cli.prefix);
  return end;
}

static int
say_help (const Command *commands, const Invocation *invocation)
{
  g_autofree char *text = arguments_help (commands, invocation->command);
  return fputs (text, stdout) >= 0 && fflush (stdout) == 0 ? CODE_OK : CODE_BUG;
}

int
cli_main (const Command *commands, const JobCode *jobs, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Invocation invocation;
  int code = CODE_USAGE;
  g_set_prgname ("pruned");
  log_setup (LOG_INFO, FALSE);
  if (!arguments_parse (commands, argc, argv, &invocation, &error))
    fprintf (stderr, "pruned: %s\n", error->message);
  else if (invocation.help)
    code = say_help (commands, &invocation);
  else
    code = run_invocation (jobs, &invocation);
  invocation_clear (&invocation);
  return code;
}
