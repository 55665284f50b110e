/* What the night says (src/engine/night): the same judgement as that of `pruned night`. What other
 * checks name already (held, dead and blocked runs, pauses, the stop) is left to them. */
#include "cli/doctor/doctor.h"

#include "base/plural.h"
#include "base/spoken.h"
#include "cli/night_look.h"
#include "engine/clock/processes.h"
#include "engine/step/overdue.h"

#define DAY_S 86400

static double
seconds_in (const PgRows *rows, int row, const char *column)
{
  const char *text = rows_text (rows, row, column);
  return text != NULL ? g_ascii_strtod (text, NULL) : 0;
}

/* Cron fires in a process, and here it does not. Without a process the check of processes says so.
 */
static gboolean
say_late (Doctor *doctor, const PgRows *rows, int row)
{
  const char *job = rows_text (rows, row, "job");
  if (rows_text (rows, row, "late_s") == NULL || !rows_bool (rows, row, "settled"))
    return FALSE;
  g_autofree char *age = spoken_duration (seconds_in (rows, row, "late_s"));
  doctor_error (doctor, CODE_KAFKA, "late ticks", "pruned status",
                "%s: its tick is %s late although processes run: their logs say why cron does not"
                " fire (Kafka, or clocks that differ)",
                job, age);
  return TRUE;
}

static gboolean
say_failing (Doctor *doctor, const PgRows *rows, int row)
{
  const double since_s = seconds_in (rows, row, "failing_s");
  const gboolean all = rows_bool (rows, row, "last_failed");
  const gint64 n = rows_int (rows, row, "failing");
  if (n == 0 || (since_s <= DAY_S && !all))
    return FALSE;
  const char *job = rows_text (rows, row, "job");
  g_autofree char *number = spoken_number (n), *age = spoken_duration (since_s),
                  *remedy = g_strdup_printf ("pruned quarantine retry %s", job);
  doctor_warn (doctor, "failing rows", remedy,
               "%s: %s %s, the first for %s%s: %s. `pruned quarantine list --all` shows them; the"
               " command tries them with the next run",
               job, number, plural (n, "row fails", "rows fail"), age,
               all ? ", and no other row of its last run went" : "",
               rows_text (rows, row, "failing_reason"));
  return TRUE;
}

static gboolean
say_less (Doctor *doctor, const PgRows *rows, int row)
{
  if (!rows_bool (rows, row, "less"))
    return FALSE;
  const char *job = rows_text (rows, row, "job");
  g_autofree char *low = spoken_number (rows_int (rows, row, "low")),
                  *high = spoken_number (rows_int (rows, row, "high")),
                  *did = spoken_number (rows_int (rows, row, "rows")),
                  *usual = spoken_number ((gint64)seconds_in (rows, row, "median")),
                  *remedy = g_strdup_printf ("pruned plan %s", job);
  doctor_warn (doctor, "less than usual", remedy,
               "%s changed %s rows on %s; usual are %s (%s to %s in %s nights). Does its condition"
               " still name what it is meant to? If so, set [jobs.%s] min_ratio = off, or lower",
               job, did, rows_text (rows, row, "day"), usual, low, high,
               rows_text (rows, row, "nights"), job);
  return TRUE;
}

/* `, caught up in 4 nights`, and the like. g_free it. */
static char *
say_forecast (const PgRows *rows, int row)
{
  const char *nights = rows_text (rows, row, "caught_up_nights");
  g_autofree char *in = spoken_number ((gint64)seconds_in (rows, row, "due_inflow_rows")),
                  *out = spoken_number ((gint64)seconds_in (rows, row, "due_outflow_rows")),
                  *due = spoken_number ((gint64)seconds_in (rows, row, "due_rows"));
  return g_strdup_printf ("%s%s are due, %s become due and %s go in a day: %s%s%s",
                          rows_bool (rows, row, "overdue_estimated") ? "about " : "", due, in, out,
                          nights != NULL ? "caught up in "
                                         : "at this rate they are never caught up",
                          nights != NULL ? nights : "", nights != NULL ? " nights" : "");
}

/* Of a job that is off or blocked, what is missing is not wanted, or named by another check; so is
 * a column that is not there. */
static gboolean
say_overdue (Doctor *doctor, const PgRows *rows, int row)
{
  const char *job = rows_text (rows, row, "job"), *state = rows_text (rows, row, "overdue_state");
  if (state != NULL
      && (g_str_equal (rows_text (rows, row, "state"), "off")
          || rows_text (rows, row, "blocked") != NULL || rows_bool (rows, row, "overdue_missing")))
    return FALSE;
  if (state != NULL) {
    const char *sql = rows_text (rows, row, "overdue_remedy");
    g_autofree char *remedy = g_strdup_printf ("pruned check %s", job);
    doctor_warn (doctor, "deadlines", sql != NULL ? sql : remedy,
                 "%s: which rows are past its deadline is not known: %s", job, state);
    return TRUE;
  }
  g_autofree char *says = night_says_overdue (rows, row), *forecast = say_forecast (rows, row);
  g_auto (GStrv) commands = night_commands (rows, row);
  if (says == NULL)
    return FALSE;
  doctor_warn (doctor, "deadlines", commands[0] != NULL ? commands[0] : "pruned night",
               "%s: %s. %s", job, says, forecast);
  return TRUE;
}

/* Not a warning: somebody has said that these stay. But it is said, so that a condition which
 * excuses all that is old is seen. */
static void
say_excused (Doctor *doctor, const PgRows *rows, int row)
{
  const char *of_them = rows_text (rows, row, "overdue_rows");
  g_autoptr (json_t) whys = of_them != NULL ? json_loads (of_them, 0, NULL) : NULL;
  const gint64 n = json_integer_value (json_object_get (whys, OVERDUE_EXCUSED));
  g_autofree char *number = spoken_number (n),
                  *due = spoken_number ((gint64)seconds_in (rows, row, "due_rows"));
  if (n > 0)
    doctor_ok (doctor, "deadlines", "%s: its deadline excuses %s%s %s (unless); %s others are due",
               rows_text (rows, row, "job"), number, n >= OVERDUE_MOST ? " or more" : "",
               plural (n, "row", "rows"), due);
}

typedef gboolean (*Say) (Doctor *doctor, const PgRows *rows, int row);

static void
check (Doctor *doctor, const PgRows *rows, Say say, const char *name, const char *well)
{
  guint n = 0;
  for (int i = 0; i < rows_count (rows); i++)
    n += say (doctor, rows, i);
  if (n == 0)
    doctor_ok (doctor, name, "%s", well);
}

/* What the second reading of a run has found, until the job is resumed. */
static void
check_readings (Doctor *doctor)
{
  g_autoptr (PgRows) rows
      = doctor_ask (doctor, "second reading", "src/engine/view/sql/readings.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job"), *run_id = rows_text (rows, i, "run_id");
    g_autofree char *remedy = g_strdup_printf ("pruned verify %s --all", run_id);
    if (rows_text (rows, i, "says") == NULL) {
      doctor_warn (doctor, "second reading", remedy,
                   "run %s of %s has not been read again to its end", run_id, job);
      continue;
    }
    doctor_error (doctor, CODE_ENDED_BADLY, "second reading", remedy,
                  "%s is stopped: run %s disagrees with its rule about %s:%s: %s. `pruned restore`"
                  " puts rows back; `pruned resume %s` lets the job go on",
                  job, run_id, rows_text (rows, i, "tab"), rows_text (rows, i, "key"),
                  rows_text (rows, i, "says"), job);
  }
  if (rows != NULL && rows_count (rows) == 0)
    doctor_ok (doctor, "second reading", "no run disagrees");
}

void
doctor_night (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PgRows) rows = night_look (doctor->cli, doctor->pg, NULL, &error);
  if (rows == NULL) {
    doctor_error (doctor, CODE_POSTGRES, "night", doctor->grants, "could not be checked: %s",
                  error->message);
    return;
  }
  check_readings (doctor);
  check (doctor, rows, say_late, "late ticks", "none");
  check (doctor, rows, say_failing, "failing rows", "none for a day");
  check (doctor, rows, say_less, "less than usual", "no job");
  check (doctor, rows, say_overdue, "deadlines", "no row is past one");
  for (int i = 0; i < rows_count (rows); i++)
    say_excused (doctor, rows, i);
}
