#include "engine/night/night.h"

#include "base/clock.h"
#include "base/spoken.h"
#include "engine/clock/processes.h"
#include "engine/step/overdue.h"

#include <math.h>
#include <string.h>

#define SQL "src/engine/night/sql/"
#define FIRES 1000
#define DAYS 400

/* Array literals, one element a job. */
struct _Night {
  char *jobs, *intervals, *leasts, *modes, *catches_up;
  char *overdue; /* JSON; NULL: of the last look */
};

/* --- which jobs ------------------------------------------------------------------------------- */

double
night_interval_s (const Cron *cron, GTimeZone *zone)
{
  gint64 now_us = clock_now_us (), longest = 0, at = now_us;
  for (guint i = 0; cron != NULL && i < FIRES && at - now_us < DAYS * G_TIME_SPAN_DAY; i++) {
    gint64 next = cron_next (cron, zone, at);
    if (next < 0)
      return 0;
    if (i > 0)
      longest = MAX (longest, next - at);
    at = next;
  }
  return (double)longest / G_USEC_PER_SEC;
}

static const char *
text_of (const json_t *settings, const char *key)
{
  const char *text = json_string_value (json_object_get (settings, key));
  return text != NULL ? text : "";
}

static double
interval_of (const json_t *settings)
{
  g_autoptr (Cron) cron = cron_parse (text_of (settings, "schedule"), NULL);
  g_autoptr (GTimeZone) zone = cron_zone (text_of (settings, "time_zone"), NULL);
  return cron != NULL && zone != NULL ? night_interval_s (cron, zone) : 0;
}

/* -1: off. A process of a version before this setting does not say it. */
static double
least_of (const json_t *settings)
{
  const char *text = text_of (settings, "min_ratio");
  return *text == '\0' ? 0.1 : g_str_equal (text, "off") ? -1 : g_ascii_strtod (text, NULL);
}

static void
add_number (GString *array, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  array_add (array, g_ascii_dtostr (text, sizeof text, number));
}

Night *
night_new (const json_t *settings)
{
  Night *night = g_new0 (Night, 1);
  GString *jobs = array_new (), *intervals = array_new (), *leasts = array_new (),
          *modes = array_new (), *catches_up = array_new ();
  const char *job;
  json_t *one;
  json_object_foreach ((json_t *)settings, job, one) {
    const gboolean off = json_is_false (json_object_get (one, "enabled"));
    array_add (jobs, job);
    add_number (intervals, off ? 0 : interval_of (one));
    add_number (leasts, least_of (one));
    array_add (modes, off ? "off" : text_of (one, "mode"));
    array_add (catches_up, g_str_equal (text_of (one, "catch_up"), "all") ? "true" : "false");
  }
  *night = (Night){ array_take (jobs),  array_take (intervals),  array_take (leasts),
                    array_take (modes), array_take (catches_up), NULL };
  return night;
}

void
night_free (Night *night)
{
  if (night == NULL)
    return;
  g_free (night->jobs);
  g_free (night->intervals);
  g_free (night->leasts);
  g_free (night->modes);
  g_free (night->catches_up);
  g_free (night->overdue);
  g_free (night);
}

void
night_set_overdue (Night *night, const json_t *overdue)
{
  g_free (night->overdue);
  night->overdue = json_text (overdue);
}

PgRows *
night_ask (Pg *pg, const Night *night, const char *since, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", night->jobs);
  pg_values_set (values, "interval_s", night->intervals);
  pg_values_set (values, "least", night->leasts);
  pg_values_set (values, "mode", night->modes);
  pg_values_set (values, "catches_up", night->catches_up);
  pg_values_set (values, "since", since);
  pg_values_set (values, "overdue", night->overdue);
  pg_values_int (values, "known_s", OVERDUE_KNOWN_S);
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  return pg_run_file (pg, SQL "night.sql", values, error);
}

/* --- in words --------------------------------------------------------------------------------- */

typedef struct {
  const PgRows *rows;
  int row;
} Line;

static const char *
text_in (const Line *line, const char *column)
{
  const char *text = rows_text (line->rows, line->row, column);
  return text != NULL ? text : "";
}

static double
number_in (const Line *line, const char *column)
{
  return g_ascii_strtod (text_in (line, column), NULL);
}

/* `4 d`, of a column with seconds. */
static char *
age_in (const Line *line, const char *column)
{
  return spoken_duration (number_in (line, column));
}

/* `3 held: max_rows`; of one: `held: max_rows`. */
static char *
counted (const Line *line, const char *counter, const char *word, const char *why)
{
  const gint64 n = rows_int (line->rows, line->row, counter);
  g_autofree char *number = spoken_number (n);
  return g_strdup_printf ("%s%s%s%s%s", n > 1 ? number : "", n > 1 ? " " : "", word,
                          *text_in (line, why) != '\0' ? ": " : "", text_in (line, why));
}

static char *
say_failing (const Line *line)
{
  g_autofree char *number = spoken_number (rows_int (line->rows, line->row, "failing"));
  return g_strdup_printf ("%s fail: %s", number, text_in (line, "failing_reason"));
}

static char *
say_less (const Line *line)
{
  g_autofree char *did = spoken_number (rows_int (line->rows, line->row, "rows")),
                  *usual = spoken_number ((gint64)llround (number_in (line, "median")));
  return g_strdup_printf ("%s of usually %s", did, usual);
}

/* Why rows are still there, in words. Static, or WHY. */
static const char *
spoken_why (const char *why)
{
  static const char *const words[][2] = { { "none", "nothing keeps them" },
                                          { "no rule", "no rule names them" },
                                          { "failed", "they fail" },
                                          { "parked", "they are parked" },
                                          { "locked", "others have locked them" },
                                          { "waiting", "a run waits at them" },
                                          { "running", "its run is at work" },
                                          { "behind", "its runs do not come" },
                                          { "paused", "it is paused" },
                                          { "stopped", "everything is stopped" },
                                          { "off", "it is off" },
                                          { "plan", "it only plans" },
                                          { "no process", "no process runs" },
                                          { "not taken up", "no running process has it" },
                                          { "blocked", "it is blocked" },
                                          { "held", "its run is held" },
                                          { "dead", "its run is dead" },
                                          { "retrying", "its run fails" },
                                          { "kept", "its rule keeps them" },
                                          { "kept: unless", "their deadline excuses them" },
                                          { "hold", "they are on hold" },
                                          { "restored", "a restore holds them" } };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (why, words[i][0]))
      return words[i][1];
  return why;
}

/* All but those that may stay. */
char *
night_says_overdue (const PgRows *rows, int row)
{
  const Line line = { rows, row };
  const gint64 n = rows_int (rows, row, "overdue_missed");
  const double past_s
      = number_in (&line, "oldest_overdue_seconds") - number_in (&line, "deadline_seconds");
  g_autofree char *number = spoken_number (n), *age = spoken_duration (past_s);
  return n == 0 ? NULL
                : g_strdup_printf ("%s %s %s%spast %s deadline: %s", number,
                                   n == 1 ? "row is" : "rows are", past_s > 0 ? age : "",
                                   past_s > 0 ? " " : "", n == 1 ? "its" : "their",
                                   spoken_why (text_in (&line, "overdue_why")));
}

gboolean
night_is_stuck (const PgRows *rows, int row)
{
  const Line line = { rows, row };
  const char *state = text_in (&line, "state");
  return g_str_equal (state, "late")
         || (g_str_equal (state, "no process")
             && (rows_text (rows, row, "late_s") != NULL || rows_int (rows, row, "overdue") > 0));
}

static char *
say_state (const PgRows *rows, int row)
{
  static const char *const plain[][2] = { { "no process", "NO PROCESS RUNS" },
                                          { "not taken up", "no running process has it" },
                                          { "never", "has not run yet" },
                                          { "plan", "only plans" },
                                          { "removed", "no process has it" } };
  const Line line = { rows, row };
  const char *state = text_in (&line, "state");
  g_autofree char *late = age_in (&line, "late_s"), *overdue = age_in (&line, "overdue_s"),
                  *behind = age_in (&line, "behind_s");
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (g_str_equal (state, plain[i][0]))
      return g_strdup (plain[i][1]);
  return g_str_equal (state, "blocked")
             ? g_strdup_printf ("blocked: %s", text_in (&line, "blocked"))
         : g_str_equal (state, "held")    ? counted (&line, "held", "held", "held_by")
         : g_str_equal (state, "dead")    ? counted (&line, "dead", "dead", "dead_error")
         : g_str_equal (state, "late")    ? g_strdup_printf ("its tick is %s late", late)
         : g_str_equal (state, "overdue") ? g_strdup_printf ("%s behind", overdue)
         : g_str_equal (state, "behind")  ? g_strdup_printf ("%s behind", behind)
         : g_str_equal (state, "retrying")
             ? g_strdup_printf ("its run fails: %s", text_in (&line, "retry_error"))
         : g_str_equal (state, "failing") ? say_failing (&line)
         : g_str_equal (state, "less")    ? say_less (&line)
                                          : g_strdup (state);
}

char *
night_says (const PgRows *rows, int row)
{
  char *says = say_state (rows, row);
  g_autofree char *past = night_says_overdue (rows, row), *state = past != NULL ? says : NULL;
  if (past == NULL)
    return says;
  return g_str_equal (state, "past") ? g_steal_pointer (&past)
                                     : g_strdup_printf ("%s; %s", state, past);
}

/* By state. %1: the job; %2: a run, or a row. */
static const struct {
  const char *state, *run; /* the column with the run; NULL: none */
  const char *commands[3];
} REMEDIES[] = {
  { "no process", NULL, { "pruned run" } },
  { "not taken up", NULL, { "pruned reload" } },
  { "blocked", NULL, { "pruned doctor" } },
  { "held", "held_run_id", { "pruned runs %2", "pruned approve %2", "pruned discard %2" } },
  { "dead", "dead_run_id", { "pruned runs %2", "pruned retry %2", "pruned discard %2" } },
  { "late", NULL, { "pruned status" } },
  { "overdue", NULL, { "pruned status" } },
  { "behind", NULL, { "pruned runs --job %1" } },
  { "retrying", NULL, { "pruned runs --job %1 --state waiting" } },
  { "failing", NULL, { "pruned quarantine list --all", "pruned quarantine retry %1" } },
  { "less", NULL, { "pruned plan %1" } },
  { "past", "overdue_oldest", { "pruned why %2", "pruned plan %1" } },
  { "removed", "overdue_oldest", { "pruned why %2" } },
  { "paused", NULL, { "pruned resume %1" } },
  { "stopped", NULL, { "pruned go" } },
};

/* What %2 stands for; it may be quoted for a shell. */
static char *
filled (const char *command, const char *job, const char *of)
{
  g_autofree char *quoted = g_shell_quote (of),
                  *run = g_strdup (strpbrk (of, " '\"$`\\{}()&;<>|*?!~#") != NULL ? quoted : of);
  g_auto (GStrv) parts = g_strsplit (command, "%", -1);
  GString *text = g_string_new (parts[0]);
  for (char **part = parts + 1; *part != NULL; part++)
    g_string_append_printf (text, "%s%s", **part == '1' ? job : run, *part + 1);
  return g_string_free (text, FALSE);
}

char **
night_commands (const PgRows *rows, int row)
{
  const Line line = { rows, row };
  GPtrArray *commands = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (REMEDIES) && rows_bool (rows, row, "needs"); i++)
    for (guint n = 0; n < G_N_ELEMENTS (REMEDIES[i].commands) && REMEDIES[i].commands[n] != NULL
                      && g_str_equal (REMEDIES[i].state, text_in (&line, "state"));
         n++)
      g_ptr_array_add (commands,
                       filled (REMEDIES[i].commands[n], text_in (&line, "job"),
                               REMEDIES[i].run != NULL ? text_in (&line, REMEDIES[i].run) : ""));
  g_ptr_array_add (commands, NULL);
  return (char **)g_ptr_array_free (commands, FALSE);
}
