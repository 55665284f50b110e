#include "cli/doctor/doctor.h"

#include "cli/check/check.h"
#include "cli/left_out.h"
#include "cli/refusals.h"
#include "engine/clock/processes.h"
#include "engine/job/by_tables.h"
#include "engine/job/in_force.h"

#define SQL "src/cli/doctor/sql/"

static guint
count_built_in (const Jobs *jobs, gboolean in_force)
{
  guint n = 0;
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++)
    n += jobs_find_loaded (jobs, *name)->built_in && (!in_force || jobs_find (jobs, *name) != NULL);
  return n;
}

/* Runs of a job that is not in force wait until it is. */
static gboolean
say_left (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", jobs_array (doctor->cli->jobs));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "jobs", SQL "left_runs.sql", values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job");
    g_autofree char *runs = doctor_count (rows_int (rows, i, "n"), "run"),
                    *remedy = g_strdup_printf ("pruned runs --job %s", job);
    doctor_warn (
        doctor, "jobs", remedy,
        "%s of %s wait for the job, which is not in force here ([run] jobs, jobs_dir, or its tables)",
        runs, job);
  }
  return rows == NULL || rows_count (rows) > 0;
}

/* Those that this command knows, in force or not. */
static char *
known_names (const Jobs *jobs)
{
  GString *names = array_new ();
  for (const char *const *name = jobs_loaded (jobs); *name != NULL; name++)
    array_add (names, *name);
  for (guint i = 0; i < jobs_refused_count (jobs); i++)
    array_add (names, jobs_refused_at (jobs, i)->name);
  return array_take (names);
}

/* A job of one's own whose section or folder is gone does nothing, and cannot say so. */
static gboolean
say_vanished (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", known_names (doctor->cli->jobs));
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  g_autoptr (PgRows) rows = doctor_ask (doctor, "jobs", SQL "vanished.sql", values);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    doctor_warn (doctor, "jobs", "pruned journal --since -8d",
                 "%s last did its work at %s UTC, and is not there any more: its section, or its "
                 "folder, is gone, here and in all processes. If that is meant, this is said for a "
                 "week only",
                 rows_text (rows, i, "job"), rows_text (rows, i, "at"));
  return rows == NULL || rows_count (rows) > 0;
}

/* Their ticks and events come to nothing, and nobody is told. */
static gboolean
say_left_out (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PgRows) rows = left_out_rows (doctor->cli, doctor->pg, &error);
  if (rows == NULL)
    doctor_error (doctor, CODE_POSTGRES, "jobs", doctor->grants, "could not be checked: %s",
                  error->message);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *words = left_out_words (doctor->cli, rows, i);
    doctor_error (doctor, CODE_NOT_FOUND, "jobs", "pruned reload", "%s is %s",
                  rows_text (rows, i, "job"), words);
  }
  return rows == NULL || rows_count (rows) > 0;
}

/* What this command refuses itself is another finding. */
static gboolean
say_refused (Doctor *doctor)
{
  gboolean said = FALSE;
  g_autoptr (PgRows) rows = refusals_look (doctor->pg, NULL); /* the same tables as above */
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job");
    if (jobs_refused_find (doctor->cli->jobs, job) != NULL)
      continue;
    g_autofree char *reason = refusals_text (rows, i);
    doctor_error (doctor, CODE_CONFIG, "jobs", "pruned reload",
                  "%s is refused by the process %s: %s", job, rows_text (rows, i, "process"),
                  reason);
    said = TRUE;
  }
  return said;
}

/* --- the user's own --------------------------------------------------------------------------- */

/* Rights that are missing, and keys that are off, are other checks of the doctor. */
static gboolean
is_said_elsewhere (const Doctor *doctor, const Job *job, const CheckFinding *finding)
{
  if (g_str_equal (finding->check, CHECK_OFF))
    return TRUE;
  return doctor->migrated && !job->kind->owner && g_str_equal (finding->check, "rights")
         && finding->remedy != NULL;
}

static void
say_finding (Doctor *doctor, const Job *job, const CheckFinding *finding)
{
  g_autofree char *line = finding->line > 0 ? g_strdup_printf (":%d", finding->line) : NULL,
                  *place = g_strconcat (finding->file != NULL ? finding->file : "",
                                        line != NULL ? line : "", NULL),
                  *remedy = finding->code == CODE_CONFIG ? g_strconcat ("edit ", place, NULL)
                                                         : g_strdup (doctor->grants);
  doctor_error (doctor, finding->code, "own jobs",
                finding->remedy != NULL ? finding->remedy : remedy, "%s: %s%s%s", job->name, place,
                *place != '\0' ? ": " : "", finding->detail);
}

/* What `pruned check` finds wrong with JOB. Returns how much is said. */
static guint
say_own (Doctor *doctor, Check *check, const Job *job)
{
  guint n = 0, before = check->findings->len;
  check_job (check, job);
  if (doctor->migrated && doctor->kafka != NULL && in_force_of (job)->enabled)
    check_silent (check);
  for (guint i = before; i < check->findings->len; i++) {
    const CheckFinding *finding = check->findings->pdata[i];
    if (g_str_equal (finding->check, CHECK_OUTSIDE) && in_force_of (job)->enabled)
      doctor_warn (doctor, "own jobs", finding->remedy, "%s: %s", job->name, finding->detail);
    if (finding->code == CODE_OK || is_said_elsewhere (doctor, job, finding)
        || (finding->code != CODE_CONFIG && !in_force_of (job)->enabled))
      continue;
    doctor->hides |= g_str_equal (finding->check, CHECK_HIDDEN);
    say_finding (doctor, job, finding);
    n++;
  }
  return n;
}

static void
look_at_own (Doctor *doctor)
{
  guint wrong = 0;
  g_autoptr (GPtrArray) own = g_ptr_array_new ();
  for (guint i = 0; doctor->pg != NULL && i < jobs_count (doctor->cli->jobs); i++)
    if (!jobs_at (doctor->cli->jobs, i)->built_in)
      g_ptr_array_add (own, jobs_at (doctor->cli->jobs, i));
  if (own->len == 0)
    return;
  g_auto (Check) check;
  check_begin (&check, doctor->cli, doctor->pg);
  check_ahead (&check, own);
  for (guint i = 0; i < own->len; i++)
    wrong += say_own (doctor, &check, own->pdata[i]);
  g_autofree char *jobs = doctor_count (own->len, "job");
  if (wrong == 0)
    doctor_ok (doctor, "own jobs", "%s of your own: `pruned check` finds no error", jobs);
}

/* --- those of the program --------------------------------------------------------------------- */

void
doctor_jobs (Doctor *doctor)
{
  look_at_own (doctor);
  const Cli *cli = doctor->cli;
  const char *chosen = config_text (cli->config, "run", "jobs"),
             *schema = config_text (cli->config, "postgres", "app_schema");
  g_autofree char *absent = cli->absent != NULL ? by_tables_words (cli->jobs, cli->absent) : NULL;
  guint all = count_built_in (cli->jobs, FALSE), n = count_built_in (cli->jobs, TRUE);
  if (doctor->migrated
      && (say_left_out (doctor) | say_refused (doctor) | say_left (doctor) | say_vanished (doctor)))
    return;
  if (*chosen != '\0')
    doctor_ok (doctor, "jobs", "[run] jobs = %s: %u of %u built-in jobs are in force", chosen, n,
               all);
  else if (n == 0)
    doctor_ok (
        doctor, "jobs",
        "no built-in job is in force: schema %s lacks their tables (if it should have them, check [postgres] app_schema)",
        schema);
  else if (absent != NULL)
    doctor_ok (doctor, "jobs", "not in force, for lack of tables in schema %s: %s", schema, absent);
  else
    doctor_ok (doctor, "jobs", "all %u built-in jobs are in force", all);
}
