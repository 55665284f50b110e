/* What the settings of jobs come to: those of the running processes; without a process, those of
 * this command line. */
#include "cli/doctor/doctor.h"

#include "base/clock.h"
#include "cli/running_settings.h"
#include "engine/job/in_force.h"
#include "engine/ledger/mode.h"

/* No job is in force. */
static void
check_mode_of_new (Doctor *doctor)
{
  const JobMode mode = in_force_general_mode ();
  if (mode == MODE_PLAN)
    doctor_warn (doctor, "mode", "pruned -s run.mode=apply run",
                 "plan: runs of a job that is added change nothing%s. Once their results are as"
                 " they should be, set [run] mode = apply",
                 in_force_mode_is_recorded () ? ", as in every new installation" : "");
  else
    doctor_ok (doctor, "mode", "%s, for a job that is added", in_force_mode_word (mode));
}

/* Jobs whose runs change nothing. MODES: {job: mode} of those whose mode is not `apply`. */
static void
check_mode (Doctor *doctor, const json_t *modes, const char *where)
{
  g_autofree char *plan = running_settings_in_mode (doctor->cli, modes, "plan"),
                  *off = running_settings_in_mode (doctor->cli, modes, "off");
  if (jobs_count (doctor->cli->jobs) == 0)
    check_mode_of_new (doctor);
  else if (json_object_size (modes) == 0)
    doctor_ok (doctor, "mode", "apply: runs change rows (%s)", where);
  if (plan != NULL)
    doctor_warn (
        doctor, "mode", "pruned -s run.mode=apply run",
        "plan: runs of these jobs change nothing%s: %s (%s). Once their results are as they should"
        " be, set [run] mode = apply",
        in_force_mode_is_recorded () ? ", as in every new installation" : "", plan, where);
  if (off == NULL)
    return;
  if (g_str_equal (off, "all jobs"))
    doctor_warn (doctor, "mode", "pruned -s run.mode=apply run",
                 "off: no job runs (%s): [run] mode or [jobs.NAME] mode says so", where);
  else
    doctor_ok (doctor, "mode", "off: these jobs do not run: %s (%s)", off, where);
}

static gboolean
is_enabled (const PgRows *running, const Job *job)
{
  g_autoptr (json_t) settings = running_settings_of (running, job);
  return json_is_true (json_object_get (settings, "enabled"));
}

/* The jobs that start runs of JOB and are not among MODES, as a list; NULL: none. g_free it. */
static char *
applying_parents (const Doctor *doctor, const PgRows *running, const json_t *modes, const char *job)
{
  GString *parents = g_string_new (NULL);
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *parent = jobs_at (doctor->cli->jobs, i);
    if (job_launches (parent, job) && json_object_get (modes, parent->name) == NULL
        && is_enabled (running, parent))
      g_string_append_printf (parents, "%s%s", parents->len > 0 ? ", " : "", parent->name);
  }
  return g_string_free (parents, parents->len == 0);
}

/* Jobs that plan what others have begun. */
static void
check_children (Doctor *doctor, const PgRows *running, const json_t *modes)
{
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    const char *mode = json_string_value (json_object_get (modes, job->name));
    g_autofree char *parents = applying_parents (doctor, running, modes, job->name);
    if (parents == NULL || g_strcmp0 (mode, "plan") != 0 || !is_enabled (running, job))
      continue;
    g_autofree char *remedy = g_strdup_printf ("pruned -s jobs.%s.mode=apply run", job->name);
    doctor_warn (
        doctor, "mode", remedy,
        "%s only plans, but jobs that start its runs apply (%s): those runs end without"
        " their work, and no later tick may lead to it. Set [jobs.%s] mode = apply, or off:"
        " then its runs wait",
        job->name, parents, job->name);
  }
}

static gboolean
never_fires (const json_t *settings)
{
  const char *schedule = json_string_value (json_object_get (settings, "schedule"));
  g_autoptr (Cron) cron = schedule != NULL ? cron_parse (schedule, NULL) : NULL;
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  return json_is_true (json_object_get (settings, "enabled")) && cron != NULL
         && cron_next (cron, utc, clock_now_us ()) < 0;
}

static void
check_schedules (Doctor *doctor, const PgRows *running)
{
  guint n = 0;
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    g_autoptr (json_t) settings = running_settings_of (running, job);
    if (!job->by_tick || !never_fires (settings))
      continue;
    g_autofree char *remedy = g_strdup_printf ("pruned tick %s", job->name);
    doctor_warn (doctor, "never due", remedy,
                 "%s: schedule = %s: no such day ever comes, so the job never runs by itself. Set"
                 " [jobs.%s] schedule to a day that comes, or to off",
                 job->name, json_string_value (json_object_get (settings, "schedule")), job->name);
    n++;
  }
  if (n == 0)
    doctor_ok (doctor, "never due", "each schedule comes to a time");
}

void
doctor_settings (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  if (doctor->pg == NULL || !doctor->migrated)
    return;
  g_autoptr (PgRows) running
      = mode_read (doctor->pg, &error) ? running_settings_look (doctor->pg, &error) : NULL;
  if (running == NULL)
    return;
  g_autoptr (json_t) modes = running_settings_modes (doctor->cli, running);
  check_mode (doctor, modes,
              rows_count (running) > 0 ? "in the running processes" : "no process runs");
  check_children (doctor, running, modes);
  check_schedules (doctor, running);
}
