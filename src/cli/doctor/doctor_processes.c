/* Whether processes run, and by the same settings. */
#include "base/plural.h"
#include "cli/doctor/doctor.h"
#include "engine/clock/processes.h"
#include "engine/job/in_force.h"

#define SQL "src/cli/doctor/sql/"
#define KILLED_AT_START 3

/* The jobs of which ticks are expected. */
static char *
scheduled_jobs (const Doctor *doctor)
{
  GString *names = array_new ();
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++)
    if (in_force_of (jobs_at (doctor->cli->jobs, i))->cron != NULL)
      array_add (names, jobs_at (doctor->cli->jobs, i)->name);
  return array_take (names);
}

/* Nothing is due yet, but it will be. FALSE: it will not. */
static gboolean
say_schedules_alone (Doctor *doctor, const PgRows *rows)
{
  const gint64 scheduled = rows_int (rows, 0, "scheduled");
  g_autofree char *schedules = doctor_count (scheduled, "schedule");
  if (scheduled == 0)
    return FALSE;
  doctor_warn (doctor, "processes", "pruned run",
               "no daemon runs, and %s %s in force: the next tick is due in %s", schedules,
               plural (scheduled, "is", "are"), rows_text (rows, 0, "next_in"));
  return TRUE;
}

/* Nothing happens without a daemon, however healthy the rest is. FALSE: nothing is due, nor will
 * be. */
static gboolean
say_none_runs (Doctor *doctor, const PgRows *rows)
{
  const gint64 late = rows_int (rows, 0, "late"), overdue = rows_int (rows, 0, "overdue");
  const char *age = rows_text (rows, 0, "late_age"), *silent = rows_text (rows, 0, "silent");
  g_autofree char *schedules = doctor_count (late, "schedule"),
                  *runs = doctor_count (overdue, "run");
  if (late == 0 && overdue == 0)
    return say_schedules_alone (doctor, rows);
  g_autoptr (GString) text = g_string_new ("no daemon runs");
  if (late > 0)
    g_string_append_printf (text, ", and %s %s overdue, that of %s for %s", schedules,
                            plural (late, "is", "are"), rows_text (rows, 0, "late_job"),
                            age != NULL ? age : "ever");
  if (overdue > 0)
    g_string_append_printf (text, ", and %s %s", runs,
                            plural (overdue, "has not begun", "have not begun"));
  if (silent != NULL)
    g_string_append_printf (text, "; not heard of for more than %d s: %s", PROCESSES_FORCE_S,
                            silent);
  doctor_error (doctor, CODE_KAFKA, "processes", "pruned run", "%s", text->str);
  return TRUE;
}

/* A process that is started again and again does nothing, though one seems to run. */
static gboolean
say_killed_at_start (Doctor *doctor, const PgRows *rows)
{
  const gint64 n = rows_int (rows, 0, "brief");
  if (n < KILLED_AT_START)
    return FALSE;
  doctor_error (doctor, CODE_KAFKA, "processes", "journalctl -u pruned",
                "%" G_GINT64_FORMAT
                " processes of the last ten minutes were killed within a minute of their start, the"
                " last one is %s. If their logs do not say why, it was the memory: a compressed"
                " batch of Kafka can need more than MemoryMax of the unit",
                n, rows_text (rows, 0, "last_brief"));
  return TRUE;
}

/* Processes with different settings of a job do parts of its work in different ways. */
void
doctor_processes (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  pg_values_take (values, "job", scheduled_jobs (doctor));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "processes", SQL "processes.sql", values);
  g_autoptr (PgRows) running
      = rows != NULL ? doctor_ask (doctor, "processes", "src/engine/view/sql/in_force.sql", values)
                     : NULL;
  if (running == NULL)
    return;
  const gint64 n = rows_int (rows, 0, "alive");
  if (say_killed_at_start (doctor, rows) | (n == 0 && say_none_runs (doctor, rows)))
    return;
  g_autofree char *alive
      = g_strdup_printf ("%" G_GINT64_FORMAT " %s", n, plural (n, "process", "processes"));
  guint wrong = 0;
  for (int i = 0; i < rows_count (running); i++)
    if (!g_str_equal (rows_text (running, i, "differs"), "{}")) {
      wrong++;
      doctor_error (doctor, CODE_CONFIG, "processes", "pruned processes",
                    "processes run %s with different settings: %s", rows_text (running, i, "job"),
                    rows_text (running, i, "differs"));
    }
  const char *differing = rows_text (rows, 0, "differing");
  if (differing != NULL || (wrong == 0 && rows_int (rows, 0, "settings") > 1))
    doctor_warn (doctor, "processes", "pruned processes",
                 "%s processes run, with %s different sets of settings%s%s",
                 rows_text (rows, 0, "alive"), rows_text (rows, 0, "settings"),
                 differing != NULL ? ": " : "", differing != NULL ? differing : "");
  else if (rows_text (rows, 0, "silent") != NULL)
    doctor_warn (doctor, "processes", "pruned processes",
                 "not heard of for more than %d s, killed or hanging: %s", PROCESSES_FORCE_S,
                 rows_text (rows, 0, "silent"));
  else if (wrong == 0)
    doctor_ok (doctor, "processes", "%s%s", alive,
               n > 1 ? " run, all with the same settings" : " now");
}
