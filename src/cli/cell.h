/* One named, typed value of a row: JSON inside, text at the edges.
 *
 * Threads: any.
 */
#pragma once
#include "base/json.h"

typedef enum {
  CELL_TEXT,
  CELL_NUMBER,
  CELL_BOOL,
  CELL_TIME, /* an RFC 3339 text */
  CELL_JSON  /* any JSON value */
} CellType;

typedef struct {
  const char *name;
  CellType type;
  gboolean detail;  /* not in the table, only in JSON and where a single row is shown */
  gboolean derived; /* for people: JSON says it in another column */
} Column;

/* A cell from PostgreSQL's text (NULL: null). New reference. */
json_t *cell_from_text (CellType type, const char *text);

/* What a person reads. TERMINAL: null is a dash, times have no microseconds. g_free it. */
char *cell_text (const Column *column, gboolean terminal, const json_t *cell);

/* The escape sequence of the colour that fits a word (dead: red, ...); NULL: none. */
const char *cell_colour (const char *text);
