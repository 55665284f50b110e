#include "engine/night/night.h"

#include "base/clock.h"
#include "base/spoken.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/left_out.h"
#include "cli/night_look.h"
#include "base/words.h"
#include "cli/refusals.h"
#include "cli/stop_line.h"

#include <math.h>
#include <string.h>

#define LEAST_STATE 14 /* `502 fail: refu` */
#define LEAST_JOB 14
#define LISTED 4 /* jobs in a line */
#define GAP 2
#define RANGE_FROM 100 /* columns of a terminal that has room for the range */

static char *since;

const GOptionEntry night_options[]
    = { { "since", 0, 0, G_OPTION_ARG_STRING, &since,
          "what was done since then, by days (UTC): -7d, 2026-11-21, ...", "T" },
        { NULL } };

const char night_more[]
    = "A night is a day of T, the time of the tick (UTC); of a job whose ticks come more than once a day the last day that is over. "
      "`usual` is the median of its last 30 nights, with the lowest and the highest. First comes what needs a person, each with "
      "its commands; what mends itself does not. The same judgement is that of `pruned doctor`, of the metrics and the alerts.\n"
      "Exit code as of doctor: 4 no daemon runs although something is due, 6 a job is blocked, 2 a job is refused; else 0.";

static const Column COLUMNS[] = { { "job" },
                                  { "state" },
                                  { "says" },
                                  { "needs_somebody", CELL_BOOL },
                                  { "commands", CELL_JSON },
                                  { "night" },
                                  { "runs", CELL_NUMBER },
                                  { "rows", CELL_NUMBER },
                                  { "failed", CELL_NUMBER },
                                  { "usual", CELL_JSON },
                                  { "failing", CELL_NUMBER },
                                  { "parked", CELL_NUMBER },
                                  { "failing_reason" },
                                  { "failing_s", CELL_NUMBER },
                                  { "last_run_id" },
                                  { "last_at", CELL_TIME },
                                  { "last_ended_at", CELL_TIME },
                                  { "next_at", CELL_TIME },
                                  { "since", CELL_JSON },
                                  { "overdue", CELL_JSON },
                                  { NULL } };

/* --- for machines ----------------------------------------------------------------------------- */

/* Numbers of some columns as an object; null if the first one is. */
static json_t *
numbers_of (const PgRows *rows, int row, const char *const pairs[][2], guint n)
{
  if (rows_text (rows, row, pairs[0][1]) == NULL)
    return json_null ();
  json_t *object = json_object ();
  for (guint i = 0; i < n; i++)
    json_object_set_new (object, pairs[i][0],
                         cell_from_text (CELL_NUMBER, rows_text (rows, row, pairs[i][1])));
  return object;
}

/* Null: the job has no deadline. `state`: why nothing is known; `rows`: how many, by what keeps
 * them. */
static json_t *
overdue_of (const PgRows *rows, int row, const char *const pairs[][2], guint n)
{
  json_t *object = numbers_of (rows, row, pairs, n);
  const char *state = rows_text (rows, row, "overdue_state"),
             *oldest = rows_text (rows, row, "overdue_oldest");
  if (!json_is_object (object))
    return object;
  json_object_set_new (object, "state", state != NULL ? json_string (state) : json_null ());
  json_object_set_new (object, "oldest", oldest != NULL ? json_string (oldest) : json_null ());
  json_object_set_new (object, "rows",
                       cell_from_text (CELL_JSON, rows_text (rows, row, "overdue_rows")));
  return object;
}

static json_t *
commands_of (const PgRows *rows, int row)
{
  g_auto (GStrv) commands = night_commands (rows, row);
  json_t *list = json_array ();
  for (char **command = commands; *command != NULL; command++)
    json_array_append_new (list, json_string (*command));
  return list;
}

static json_t *
cell_of (const PgRows *rows, int row, CellType type, const char *column)
{
  return cell_from_text (type, rows_text (rows, row, column));
}

static void
show_for_machines (Output *out, const PgRows *rows)
{
  static const char *const usual[][2]
      = { { "median", "median" }, { "nights", "nights" }, { "low", "low" }, { "high", "high" } },
      *const past[][2]
      = { { "deadline_s", "deadline_seconds" }, { "oldest_s", "oldest_overdue_seconds" },
          { "late", "overdue_late" },           { "due", "due_rows" },
          { "inflow", "due_inflow_rows" },      { "outflow", "due_outflow_rows" },
          { "nights", "caught_up_nights" } },
          *const done[][2]
          = { { "rows", "since_rows" }, { "runs", "since_runs" }, { "failed", "since_failed" } };
  output_table (out, COLUMNS);
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *says = night_says (rows, i);
    output_row (
        out, json_string (rows_text (rows, i, "job")), json_string (rows_text (rows, i, "state")),
        json_string (says), json_boolean (rows_bool (rows, i, "needs")), commands_of (rows, i),
        cell_of (rows, i, CELL_TEXT, "day"), cell_of (rows, i, CELL_NUMBER, "runs"),
        cell_of (rows, i, CELL_NUMBER, "rows"), cell_of (rows, i, CELL_NUMBER, "failed"),
        numbers_of (rows, i, usual, G_N_ELEMENTS (usual)),
        cell_of (rows, i, CELL_NUMBER, "failing"), cell_of (rows, i, CELL_NUMBER, "parked"),
        cell_of (rows, i, CELL_TEXT, "failing_reason"), cell_of (rows, i, CELL_NUMBER, "failing_s"),
        cell_of (rows, i, CELL_TEXT, "last_run_id"), cell_of (rows, i, CELL_TIME, "last_at"),
        cell_of (rows, i, CELL_TIME, "last_ended"), cell_of (rows, i, CELL_TIME, "next_at"),
        numbers_of (rows, i, done, G_N_ELEMENTS (done)),
        overdue_of (rows, i, past, G_N_ELEMENTS (past)));
  }
  output_end (out);
}

/* --- for people ------------------------------------------------------------------------------- */

/* The rows with the same state in words, and the same commands, as row FIRST; NULL: one before it
 * has them. g_free it. */
static char *
jobs_like (const PgRows *rows, int first)
{
  g_autofree char *says = night_says (rows, first);
  g_auto (GStrv) commands = night_commands (rows, first);
  GString *jobs = g_string_new (NULL);
  guint n = 0;
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *other = night_says (rows, i);
    g_auto (GStrv) others = night_commands (rows, i);
    if (!rows_bool (rows, i, "needs") || !g_str_equal (says, other)
        || !g_strv_equal ((const char *const *)commands, (const char *const *)others))
      continue;
    if (i < first) {
      g_string_free (jobs, TRUE);
      return NULL;
    }
    if (++n <= LISTED)
      g_string_append_printf (jobs, "%s%s", n > 1 ? ", " : "", rows_text (rows, i, "job"));
  }
  if (n > LISTED)
    g_string_append_printf (jobs, " and %u more", n - LISTED);
  return g_string_free (jobs, FALSE);
}

/* What needs a person stands first. */
static void
show_needs (Output *out, const PgRows *rows)
{
  gint64 n = 0;
  for (int i = 0; i < rows_count (rows); i++)
    n += rows_bool (rows, i, "needs");
  if (n == 0) {
    output_hint (out, "Nothing needs a person.\n");
    return;
  }
  output_say (out, "%" G_GINT64_FORMAT " of %d %s a person:", n, rows_count (rows),
              n > 1 ? "jobs need" : "jobs needs");
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *jobs = rows_bool (rows, i, "needs") ? jobs_like (rows, i) : NULL,
                    *says = night_says (rows, i);
    g_auto (GStrv) commands = night_commands (rows, i);
    if (jobs == NULL)
      continue;
    output_line (out, "  %s: %s", jobs, says);
    for (char **command = commands; *command != NULL; command++)
      output_line (out, "    %s", *command);
  }
  output_say (out, "%s", "");
}

/* A number with commas, or `-`. */
static char *
amount_of (const PgRows *rows, int row, const char *column)
{
  const char *text = rows_text (rows, row, column);
  return text != NULL ? spoken_number ((gint64)llround (g_ascii_strtod (text, NULL)))
                      : g_strdup ("-");
}

static char *
time_of (const PgRows *rows, int row, const char *column)
{
  g_autoptr (json_t) time = cell_from_text (CELL_TIME, rows_text (rows, row, column));
  char *words = words_of_time (json_string_value (time), clock_now_us ());
  return words != NULL ? words : g_strdup ("-");
}

enum { JOB, STATE, LAST, DID, USUAL, RANGE, FAILS, NEXT, CELLS };

static void
fill (char **cells, const PgRows *rows, int row)
{
  g_autofree char *low = amount_of (rows, row, "low"), *high = amount_of (rows, row, "high");
  cells[JOB] = g_strdup (rows_text (rows, row, "job"));
  cells[STATE] = night_says (rows, row);
  cells[LAST] = time_of (rows, row, "last_ended");
  cells[DID] = amount_of (rows, row, since != NULL ? "since_rows" : "rows");
  cells[USUAL] = amount_of (rows, row, "median");
  cells[RANGE] = rows_text (rows, row, "low") != NULL ? g_strdup_printf ("%s to %s", low, high)
                                                      : g_strdup ("-");
  cells[FAILS]
      = rows_int (rows, row, "failing") > 0 ? amount_of (rows, row, "failing") : g_strdup ("-");
  cells[NEXT] = time_of (rows, row, "next_at");
}

/* Each job on one line: names and states are cut to the room that there is. */
static void
show_jobs (Output *out, const PgRows *rows)
{
  const gboolean roomy = output_width (out) >= RANGE_FROM;
  const Column columns[] = { { "job" },
                             { "state" },
                             { "last run" },
                             { since != NULL ? "did since" : "did", CELL_NUMBER },
                             { "usual", CELL_NUMBER },
                             { "range", .detail = !roomy },
                             { "fail", CELL_NUMBER },
                             { "next" },
                             { NULL } };
  glong widths[CELLS] = { 0 }, others = -GAP;
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  for (int i = -1; i < rows_count (rows); i++) {
    char **cells = g_new0 (char *, CELLS + 1);
    for (guint k = 0; i < 0 && k < CELLS; k++)
      cells[k] = g_strdup (columns[k].name);
    if (i >= 0)
      fill (cells, rows, i);
    for (guint k = 0; k < CELLS; k++)
      widths[k] = MAX (widths[k], words_width (cells[k]));
    g_ptr_array_add (all, cells);
  }
  for (guint k = 0; k < CELLS; k++)
    others
        += k == JOB || k == STATE || (k == RANGE && !roomy) ? GAP * (k != RANGE) : widths[k] + GAP;
  const glong room = output_width (out) - others,
              job = MIN (widths[JOB], MAX (room - LEAST_STATE, LEAST_JOB)),
              state = MIN (widths[STATE], MAX (room - job, LEAST_STATE));
  output_table (out, columns);
  for (guint i = 1; i < all->len; i++) {
    char **cells = all->pdata[i];
    json_t *row = json_array ();
    for (guint k = 0; k < CELLS; k++) {
      g_autofree char *cut = k == JOB     ? words_cut (cells[k], job)
                             : k == STATE ? words_cut (cells[k], state)
                                          : g_strdup (cells[k]);
      json_array_append_new (row, json_string (cut));
    }
    output_cells (out, row);
  }
  cli_end_jobs (out);
}

/* --- */

/* As `doctor` has it. */
static ExitCode
code_of (const PgRows *rows)
{
  ExitCode code = CODE_OK;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *state = rows_text (rows, i, "state");
    if (night_is_stuck (rows, i))
      return CODE_KAFKA;
    if (g_str_equal (state, "blocked"))
      code = CODE_NOT_FOUND;
  }
  return code;
}

ExitCode
command_night (Cli *cli, GError **error)
{
  gint64 since_us;
  if (since != NULL && !cli_time (since, &since_us, error)) {
    g_prefix_error (error, "--since: ");
    return CODE_USAGE;
  }
  g_autofree char *day = since != NULL ? clock_format (since_us) : NULL;
  g_autoptr (Pg) pg = cli_pg (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  g_autoptr (PgRows) rows = night_look (cli, pg, day, error);
  g_autoptr (PgRows) refusals = rows != NULL ? refusals_look (pg, error) : NULL;
  if (refusals == NULL || !stop_line_show (cli, pg, error))
    return cli_pg_failed (pg, error);
  if (output_is_json (cli->out))
    show_for_machines (cli->out, rows);
  else {
    show_needs (cli->out, rows);
    show_jobs (cli->out, rows);
  }
  if (!left_out_say (cli, pg, error))
    return cli_pg_failed (pg, error);
  const ExitCode refused = refusals_end (cli, refusals, error), code = code_of (rows);
  return code != CODE_OK && refused == CODE_OK ? code : refused;
}
