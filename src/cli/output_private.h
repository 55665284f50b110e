/* What output.c (tables and objects) and output_say.c (lines for people) share.
 *
 * Threads: main only. Ownership: output.h.
 */
#pragma once
#include "cli/output.h"

#define PLAIN "\033[0m"

struct _Output {
  gboolean json, terminal, colours, failed;
  gboolean named;        /* the line of column names was written */
  const Column *columns; /* NULL: no table is open */
  guint n_columns;
  GPtrArray *rows; /* of json_t arrays; on a terminal only, until widths are known */
  int *widths;     /* of the rows so far */
};

/* Writes TEXT as it is; a failure is told by output_free. */
void output_put (Output *out, const char *text);
