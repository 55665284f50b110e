/* The command: which jobs it looks at, and how it shows what was found. */
#include "cli/check/check.h"

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/job_left.h"
#include "cli/versions.h"
#include "config/cron.h"
#include "engine/job/sentence/sentence.h"
#include "store/place.h"

#define APPLY_MOST 10000
#define SAMPLE_MOST 100000

static gint64 apply, sample;
static gboolean canary;
static char *role;

const GOptionEntry check_options[] = {
  { "apply", 0, 0, G_OPTION_ARG_INT64, &apply,
    "run the first N keys of JOB through its files, and roll back", "N" },
  { "sample", 0, 0, G_OPTION_ARG_INT64, &sample,
    "read the last N messages of the topics that JOB's events come from: how many would it take?",
    "N" },
  { "canary", 0, 0, G_OPTION_ARG_NONE, &canary,
    "make some rows of JOB's table due and others not, let it take them, and roll back", NULL },
  { "role", 0, 0, G_OPTION_ARG_STRING, &role,
    "ask with the rights of ROLE, the daemon's; default: the user of [postgres] url", "ROLE" },
  { NULL }
};

const char check_more[]
    = "Statements are prepared and explained, not run; a page is read. Exit code 0 well, or warnings only; 2 a job is wrong; "
      "3 a right is missing, rows are hidden, or foreign keys are off; 6 an unknown job or role, or an index is missing; of "
      "several the first of these. --role is for a superuser, or a member of ROLE.";

static const Column FOR_MACHINES[]
    = { { "job" },    { "check" }, { "ok", CELL_BOOL },     { "level" }, { "detail" },
        { "remedy" }, { "file" },  { "line", CELL_NUMBER }, { NULL } };
static const Column FOR_PEOPLE[]
    = { { "job" }, { "check" }, { "level" }, { "place" }, { "detail" }, { NULL } };

/* --- what is shown ---------------------------------------------------------------------------- */

static json_t *
text (const char *words)
{
  return words != NULL ? json_string (words) : NULL;
}

static json_t *
place_of (const CheckFinding *finding)
{
  if (finding->file == NULL || finding->line == 0)
    return text (finding->file);
  g_autofree char *place = g_strdup_printf ("%s:%d", finding->file, finding->line);
  return json_string (place);
}

static void
show_for_people (Output *out, const GPtrArray *findings)
{
  output_table (out, FOR_PEOPLE);
  for (guint i = 0; i < findings->len; i++) {
    const CheckFinding *finding = findings->pdata[i];
    output_row (out, json_string (finding->job), json_string (finding->check),
                json_string (finding->level), place_of (finding), json_string (finding->detail));
  }
  cli_end_jobs (out);
  gboolean any = FALSE;
  for (guint i = 0; i < findings->len; i++) {
    const CheckFinding *finding = findings->pdata[i];
    if (finding->remedy == NULL)
      continue;
    if (!any)
      output_say (out, "\nWhat to do:");
    any = TRUE;
    output_say (out, "  # %s: %s\n  %s", finding->job, finding->check, finding->remedy);
  }
}

static void
show_for_machines (Output *out, const GPtrArray *findings)
{
  output_table (out, FOR_MACHINES);
  for (guint i = 0; i < findings->len; i++) {
    const CheckFinding *finding = findings->pdata[i];
    output_row (out, json_string (finding->job), json_string (finding->check),
                json_boolean (finding->level[0] != 'e'), json_string (finding->level),
                json_string (finding->detail), text (finding->remedy), text (finding->file),
                finding->line > 0 ? json_integer (finding->line) : NULL);
  }
}

/* The lower a code, the more severe it is: a job is wrong, a right is missing, an index is
 * missing. */
static ExitCode
code_of (const GPtrArray *findings)
{
  ExitCode worst = CODE_OK;
  for (guint i = 0; i < findings->len; i++) {
    const ExitCode code = ((const CheckFinding *)findings->pdata[i])->code;
    if (code != CODE_OK && (worst == CODE_OK || code < worst))
      worst = code;
  }
  return worst;
}

/* A job that is refused when it is loaded. */
static void
check_refused (Check *check, const JobRefused *refused)
{
  const Job job = { .name = refused->name };
  check->job = &job; // cppcheck-suppress autoVariables; until the end of this function
  check_error (check, CODE_CONFIG, "refused", check_place_in (check, refused->place), NULL, "%s",
               refused->reason);
  check->job = NULL;
}

/* It is about a section that has no effect, so there is no job to name. */
static void
check_remark (Check *check, const JobRemark *remark)
{
  const Job job = { .name = remark->name };
  check->job = &job; // cppcheck-suppress autoVariables; until the end of this function
  check_warn (check, "no effect", check_place_in (check, remark->place), NULL, "%s", remark->text);
  check->job = NULL;
}

/* A service that is away is found by the doctor. */
static void
check_versions (Check *check)
{
  const char *bucket = check->job->sentence->bucket;
  g_auto (Versions) versions = versions_of (check->cli->config, bucket);
  if (versions.level == VERSIONS_FINE)
    check_ok (check, "store", "objects are those of bucket %s: %s", bucket, versions.words);
  else
    check_warn (check, "store", check_place_of_key (check, "object"), versions.remedy, "%s",
                versions.words);
}

/* Where the files of an archive go. A file is written there, and removed again. */
static void
check_archive (Check *check)
{
  const char *place = check->job->sentence->archive_place;
  g_autoptr (GError) error = NULL;
  if (!check->asks_stores)
    check_ok (check, "archive", "rows go to files in %s first", place);
  else if (place_probe (check->cli->config, place, &error))
    check_ok (check, "archive", "rows go to files in %s first, and one can be written", place);
  else
    check_warn (check, "archive", check_place_of_key (check, "archive"), NULL,
                "no file can be written in %s, so no row goes: %s", place, error->message);
}

static void
check_store (Check *check)
{
  if (check->job->sentence != NULL && check->job->sentence->archive_place != NULL)
    check_archive (check);
  if (check->job->sentence == NULL || check->job->sentence->bucket == NULL)
    return;
  if (*config_text (check->cli->config, "store.object", "endpoint") == '\0')
    check_error (check, CODE_CONFIG, "store", check_place (check),
                 "set [store.object] endpoint, region and credentials_file",
                 "[store.object] endpoint is not set: no object can be deleted");
  else if (!check->asks_stores)
    check_ok (check, "store", "objects are those of bucket %s", check->job->sentence->bucket);
  else
    check_versions (check);
}

/* Some schedules never fire, such as 31 February. */
static void
check_schedule (Check *check)
{
  const char *schedule = config_job_text (check->cli->config, check->job->name, "schedule");
  g_autoptr (Cron) cron = cron_parse (schedule, NULL);
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  if (cron != NULL && cron_next (cron, utc, clock_now_us ()) < 0)
    check_warn (check, "schedule",
                check->job->sentence != NULL ? check_place_of_key (check, "schedule")
                                             : (CheckPlace){ 0 },
                NULL, "%s: no such day ever comes, so the job never runs by itself", schedule);
}

void
check_job (Check *check, const Job *job)
{
  check->job = job;
  g_clear_pointer (&check->keys, g_free);
  if (job_only_starts (job)) {
    check_starts (check);
    return;
  }
  if (job->sentence != NULL && !check_complete (check))
    return;
  check_store (check);
  check_schedule (check);
  check_ledger (check);
  check_statements (check);
  check_form (check);
  check_folder (check);
  check_needs (check);
  check_session (check);
  if (check_can_run (check))
    check_page (check);
  check_tables (check);
  check_say_role (check);
}

/* Its output is that of the files, so what else was found becomes log lines. */
static ExitCode
apply_keys (Check *check, GError **error)
{
  const ExitCode code = check_apply (check, apply, error);
  if (code != CODE_OK)
    return code;
  for (guint i = 0; i < check->findings->len; i++)
    if (((const CheckFinding *)check->findings->pdata[i])->code != CODE_OK)
      check_say (check->findings->pdata[i]);
  return code_of (check->findings);
}

static void
put_first (GPtrArray *jobs, const Job *one)
{
  if (g_ptr_array_remove (jobs, (gpointer)one))
    g_ptr_array_insert (jobs, 0, (gpointer)one);
}

ExitCode
command_check (Cli *cli, GError **error)
{
  const Job *one = cli->n_arguments > 0 ? job_left_find (cli, cli->arguments[0], error) : NULL;
  if (cli->n_arguments > 0 && one == NULL)
    return CODE_NOT_FOUND;
  if (apply < 0 || apply > APPLY_MOST || (apply > 0 && one == NULL))
    return cli_usage (error, "--apply takes a number of keys, up to %d, and one job", APPLY_MOST);
  if (sample < 0 || sample > SAMPLE_MOST || (sample > 0 && (one == NULL || apply > 0)))
    return cli_usage (error,
                      "--sample takes a number of messages, up to %d, and one job; without --apply",
                      SAMPLE_MOST);
  if (canary && (one == NULL || apply > 0 || sample > 0))
    return cli_usage (error, "--canary takes one job; without --apply and --sample");
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_auto (Check) check;
  check_begin (&check, cli, pg);
  check.asks_stores = apply == 0;
  ExitCode code = check_as (&check, role, error);
  if (code != CODE_OK)
    return code;
  for (guint i = 0; i < jobs_refused_count (cli->jobs); i++)
    if (one == NULL || one == jobs_refused_at (cli->jobs, i)->job)
      check_refused (&check, jobs_refused_at (cli->jobs, i));
  for (guint i = 0; one == NULL && i < jobs_remarks (cli->jobs)->len; i++)
    check_remark (&check, jobs_remarks (cli->jobs)->pdata[i]);
  g_autoptr (GPtrArray) jobs = g_ptr_array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    if (one == NULL || one == jobs_at (cli->jobs, i)
        || (job_only_starts (one) && job_launches (one, jobs_at (cli->jobs, i)->name)))
      g_ptr_array_add (jobs, jobs_at (cli->jobs, i));
  if (one != NULL && job_only_starts (one)) /* it comes first: what follows is about its jobs */
    put_first (jobs, one);
  check_ahead (&check, jobs);
  for (guint i = 0; i < jobs->len; i++)
    check_job (&check, jobs->pdata[i]);
  if (one != NULL && job_only_starts (one))
    check.job = one; /* again, behind its jobs: events are its own */
  if (sample > 0 && jobs->len > 0)
    check_sample (&check, sample);
  if (canary && jobs->len > 0 && check_can_run (&check))
    check_canary (&check);
  if (apply > 0 && jobs->len > 0 && check_can_run (&check))
    return apply_keys (&check, error);
  (output_is_json (cli->out) ? show_for_machines : show_for_people) (cli->out, check.findings);
  return code_of (check.findings);
}
