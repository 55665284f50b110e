#include "cli/runs/runs_table.h"

#include "base/clock.h"
#include "base/words.h"
#include "cli/arguments.h"
#include "engine/view/run_view.h"

#include <string.h>

#define SHORT_ID 8
#define GAPS 8       /* between five columns */
#define LEAST 22     /* of a result: `4,365 removed, 33 kept` */
#define LEAST_JOB 12 /* of a job's name */

static const Column SHORT[]
    = { { "run" }, { "job" }, { "state" }, { "when" }, { "result" }, { NULL } };
static const Column WIDE[] = { { "run_id" },
                               { "job" },
                               { "state" },
                               { "step", CELL_NUMBER },
                               { "attempts", CELL_NUMBER },
                               { "scheduled_at", CELL_TIME },
                               { "when" },
                               { "result" },
                               { NULL } };

/* --- chosen columns --------------------------------------------------------------------------- */

static const Column *
column_of (const char *name)
{
  for (const Column *column = view_columns (VIEW_RUNS); column->name != NULL; column++)
    if (g_str_equal (column->name, name))
      return column;
  return NULL;
}

gboolean
runs_table_check (const char *names, GError **error)
{
  g_auto (GStrv) given = g_strsplit (names != NULL ? names : "", ",", -1);
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  for (const Column *column = view_columns (VIEW_RUNS); column->name != NULL; column++)
    g_ptr_array_add (known, (gpointer)column->name);
  g_ptr_array_add (known, NULL);
  if (names != NULL && *given == NULL) {
    cli_usage (error, "--columns: no column is named");
    return FALSE;
  }
  for (char **name = given; *name != NULL; name++)
    if (column_of (g_strstrip (*name)) == NULL) {
      arguments_set_unknown (error, "column", *name, (const char *const *)known->pdata);
      return FALSE;
    }
  return TRUE;
}

static void
show_chosen (Output *out, const PgRows *rows, const char *names)
{
  g_auto (GStrv) given = g_strsplit (names, ",", -1);
  g_autoptr (GArray) columns = g_array_new (TRUE, TRUE, sizeof (Column));
  for (char **name = given; *name != NULL; name++) {
    Column column = *column_of (g_strstrip (*name));
    column.detail = FALSE;
    g_array_append_val (columns, column);
  }
  output_table (out, (const Column *)(gpointer)columns->data);
  output_rows (out, rows);
  output_end (out);
}

/* --- in words --------------------------------------------------------------------------------- */

/* When it ended; or when it is due. */
static char *
when_of (const PgRows *rows, int row, gint64 now_us)
{
  const char *ended = rows_text (rows, row, "finished_at");
  g_autoptr (json_t) time
      = cell_from_text (CELL_TIME, ended != NULL ? ended : rows_text (rows, row, "due_at"));
  char *words = words_of_time (json_string_value (time), now_us);
  return words != NULL ? words : g_strdup ("-");
}

static char *
result_of (const PgRows *rows, int row)
{
  char *words = run_view_result (rows, row);
  return words != NULL ? words
                       : g_strdup (rows_text (rows, row, "result") != NULL ? "nothing" : "-");
}

static void
show_wide (Output *out, const PgRows *rows, gint64 now_us)
{
  output_table (out, WIDE);
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *when = when_of (rows, i, now_us), *result = result_of (rows, i);
    output_row (out, json_string (rows_text (rows, i, "run_id")),
                json_string (rows_text (rows, i, "job")), json_string (run_view_state (rows, i)),
                json_integer (rows_int (rows, i, "step")),
                json_integer (rows_int (rows, i, "attempts")),
                cell_from_text (CELL_TIME, rows_text (rows, i, "scheduled_at")), json_string (when),
                json_string (result));
  }
  output_end (out);
}

static void
show_short (Output *out, const PgRows *rows, gint64 now_us)
{
  glong job = (glong)strlen ("job"), state = (glong)strlen ("state"), time = (glong)strlen ("when");
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *when = when_of (rows, i, now_us);
    job = MAX (job, words_width (rows_text (rows, i, "job")));
    state = MAX (state, (glong)strlen (run_view_state (rows, i)));
    time = MAX (time, (glong)strlen (when));
  }
  const glong room = output_width (out) - SHORT_ID - GAPS - state - time;
  job = MIN (job, MAX (room - LEAST, LEAST_JOB));
  const glong left = MAX (room - job, LEAST);
  output_table (out, SHORT);
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *id = g_strndup (rows_text (rows, i, "run_id"), SHORT_ID),
                    *name = words_cut (rows_text (rows, i, "job"), job),
                    *when = when_of (rows, i, now_us), *whole = result_of (rows, i),
                    *result = words_cut (whole, left);
    output_row (out, json_string (id), json_string (name), json_string (run_view_state (rows, i)),
                json_string (when), json_string (result));
  }
  output_end (out);
}

void
runs_table_show (Output *out, const PgRows *rows, const char *names, gboolean wide)
{
  gint64 now_us = clock_now_us ();
  if (names != NULL)
    show_chosen (out, rows, names);
  else if (wide)
    show_wide (out, rows, now_us);
  else
    show_short (out, rows, now_us);
}
