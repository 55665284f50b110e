/* What commands say on stdout: rows of named, typed cells, as JSON Lines (--json), as an aligned
 * and coloured table (on a terminal), or as lines of cells parted by tabs under a line of names
 * (anywhere else).
 *
 * Invariant: with --json, stdout holds JSON objects only, one a line, whose keys are the columns'
 * names.
 *
 * Threads: main only.
 * Ownership: output_row takes its cells; columns are static.
 */
#pragma once
#include "cli/cell.h"
#include "pg/rows.h"

typedef struct _Output Output;

/* TERMINAL: aligned and, unless NO_COLOR is set, coloured. Writes to standard output. */
Output *output_new (gboolean json, gboolean terminal);
/* FALSE if something could not be written. */
gboolean output_free (Output *out);
gboolean output_is_json (const Output *out);

/* What follows are rows of COLUMNS (ending with a NULL name). Ends what was before. */
void output_table (Output *out, const Column *columns);
/* A json_t * for each column, in their order; NULL is null. Taken. */
void output_row (Output *out, ...);
/* The same as a JSON array. Taken. */
void output_cells (Output *out, json_t *cells);
/* All rows of a statement, whose columns are found by name. */
void output_rows (Output *out, const PgRows *rows);
/* One row of a statement on its own: a line a column, details too. */
void output_record (Output *out, const Column *columns, const PgRows *rows, int row);
/* The same of a JSON array with a cell for each column. Taken. */
void output_record_cells (Output *out, const Column *columns, json_t *cells);
/* Ends the table: on a terminal it is written now. */
void output_end (Output *out);
/* Makes everything said so far visible. */
void output_flush (Output *out);

/* A JSON object that is no row; nothing without --json. Borrowed. */
void output_object (Output *out, const json_t *object);
/* A line for people; nothing with --json. */
void output_say (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same, not written unless on a terminal: hints that would be in the way of a script. */
void output_hint (Output *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* TEXT in a colour that fits the word (ended badly: red, ...); plain if there are no colours.
 * g_free it. */
char *output_coloured (const Output *out, const char *text);
