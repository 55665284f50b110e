/* One answer of the page while it is made: what a view writes to, and how tables and charts look.
 * A view writes the same whatever is asked for; as CSV or JSON the answer is one of its tables.
 *
 * Threads: the request's. Ownership: page.c makes and frees it.
 */
#pragma once
#include "base/html.h"
#include "engine/night/night.h"
#include "engine/view/view.h"
#include "web/web.h"

#define SHEET_ROWS 200    /* of a table, at most */
#define SHEET_COUNT 10000 /* up to which rows are counted */

typedef struct {
  Html *html;
  Pg *pg; /* in a transaction that only reads, unless the view has its own */
  const WebRequest *request;
  const Night *night;
  const char *form;  /* `csv`, `json`; NULL: HTML */
  const char *table; /* the one that is asked for so; NULL: the first */
  GString *data;     /* it, as asked for; NULL: not met yet */
  guint status;
} Sheet;

/* The value of a filter; NULL: it is not given, or empty. */
const char *sheet_filter (const Sheet *sheet, const char *name);
/* Binds the filters called NAMES (ended by NULL) as they are. */
void sheet_bind (const Sheet *sheet, PgValues *values, const char *const *names);

/* How a table looks. */
typedef struct {
  const char *name;  /* in the query */
  const char *title; /* above it; NULL: none */
  const Column *columns;
  json_t *cells;    /* a list of lists of cells, in the columns' order; taken */
  const char *none; /* said where there is no row */
} SheetTable;
/* COLUMNS of ROWS as such a list. */
json_t *sheet_cells (const Column *columns, const PgRows *rows);
void sheet_table (Sheet *sheet, const SheetTable *table);
/* The rows of a view as a table. */
gboolean sheet_view (Sheet *sheet, ViewId id, const PgValues *values, const char *title,
                     const char *none, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A word of a state, in its colour. */
void sheet_state (Sheet *sheet, const char *text);
/* A link to PATH, to what NAME is for VALUE; its text is VALUE. */
void sheet_link (Sheet *sheet, const char *path, const char *name, const char *value);
/* A command to copy, or to do by a click where the page can. */
void sheet_command (Sheet *sheet, const char *command);
/* PostgreSQL's text of a time; NULL: a dash. */
void sheet_time (Sheet *sheet, const char *text);
/* A form with a field for each of the view's filters. */
void sheet_form (Sheet *sheet, const char *const *filters);
