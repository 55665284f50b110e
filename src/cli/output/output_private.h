/* What output.c (tables and objects), output_fit.c (how they fit a terminal) and output_say.c
 * (lines for people) share.
 *
 * Threads: main only. Ownership: output.h.
 */
#pragma once
#include "cli/output/output.h"

#define PLAIN "\033[0m"
#define GAP "  " /* between columns */

struct _Output {
  gboolean json, terminal, colours, failed;
  gboolean named;        /* the line of column names was written */
  gboolean has_rows;     /* the table has, or the one that was ended last had */
  const Column *columns; /* NULL: no table is open */
  guint n_columns;
  GPtrArray *rows;    /* of json_t arrays; on a terminal only, until widths are known */
  int *widths;        /* of the rows so far; on a narrow terminal, less */
  int *least;         /* of each: what it can be made without cutting a word */
  gboolean *left_out; /* of each: there is no room for it on this terminal */
};

/* On a terminal: finds the widths of columns with the rows that are held back. Texts that do not
 * fit take several lines. */
void output_fit (Output *out);
/* A row in these widths; CELLS NULL: the line of column names. */
void output_put_row (Output *out, const json_t *cells);
/* TEXT behind INDENT columns of its line, in lines that fit the terminal: what follows is indented
 * as well. Unchanged where there is no terminal. g_free it. */
char *output_wrapped (const Output *out, const char *text, int indent);

/* Writes TEXT as it is; a failure is told by output_free. */
void output_put (Output *out, const char *text);
