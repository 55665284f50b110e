/* What several views are made of.
 *
 * Threads: the request's. Ownership: none.
 */
#pragma once
#include "web/page/views.h"

/* WHAT is asked for is not there; the answer is 404. TRUE. */
gboolean parts_missing (Sheet *sheet, const char *what);
/* A line of a list of names and texts; TEXT NULL or empty: none. */
void parts_line (Sheet *sheet, const char *name, const char *text);
/* ROWS of the view ID, which a chart above them has drawn, folded away as FOLD; NONE: there are
 * none. */
void parts_folded (Sheet *sheet, ViewId id, const PgRows *rows, const char *fold, const char *none);
/* A section with COMMANDS, ended by NULL; nothing without one. */
void parts_commands (Sheet *sheet, const char *title, const char *const *commands);
