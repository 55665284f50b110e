/* What commands write to stdout: rows of named, typed cells, as JSON Lines (--json), as an aligned
 * and coloured table (on a terminal), or else as tab-separated lines under a line of column names.
 *
 * Invariant: with --json, stdout holds JSON objects only, one a line, whose keys are the columns'
 * names.
 *
 * Threads: main only.
 * Ownership: output_row takes its cells; columns are static.
 */
#pragma once
#include "base/cell.h"
#include "pg/rows.h"

typedef struct _Output Output;

/* TERMINAL: aligned and, unless NO_COLOR is set, coloured. Writes to standard output. */
Output *output_new (gboolean json, gboolean terminal);
/* FALSE if something could not be written. */
gboolean output_free (Output *out);
gboolean output_is_json (const Output *out);
/* How many columns a line can have: those of the terminal; G_MAXINT: it is none. */
int output_width (const Output *out);

/* Begins a table of COLUMNS (ending with a NULL name). Ends the table before. */
void output_table (Output *out, const Column *columns);
/* A row: a json_t * for each column, in their order; NULL is null. Taken. */
void output_row (Output *out, ...);
/* The same as a JSON array. Taken. */
void output_cells (Output *out, json_t *cells);
/* All rows of a statement; columns are matched by name. */
void output_rows (Output *out, const PgRows *rows);
/* One row of a statement as a record: a line for each column, with details. */
void output_record (Output *out, const Column *columns, const PgRows *rows, int row);
/* The same from a JSON array with a cell for each column. Taken. */
void output_record_cells (Output *out, const Column *columns, json_t *cells);
/* Ends the table; on a terminal this writes it. */
void output_end (Output *out);
/* The same of a list that can be empty: if it had no row, this line for people stands where that of
 * the column names would. Nothing with --json. */
void output_end_list (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Clears a terminal's screen. */
void output_clear (Output *out);
/* Flushes standard output. */
void output_flush (Output *out);

/* A JSON object that is not a row; nothing without --json. Borrowed. */
void output_object (Output *out, const json_t *object);
/* A line for people; nothing with --json. */
void output_say (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same with texts of others: control characters become spaces. */
void output_line (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same behind a TITLE of at most 11 letters; a long text goes on below itself on a terminal. */
void output_titled (Output *out, const char *title, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* A line in red. */
void output_alarm (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A hint for people: written on a terminal only, so that scripts do not read it. */
void output_hint (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* TEXT in the colour of its word (dead: red, ...); unchanged where there are no colours. g_free it.
 */
char *output_coloured (const Output *out, const char *text);
