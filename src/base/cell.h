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
  gboolean detail;  /* shown in JSON and for a single row, not in tables */
  gboolean roomy;   /* left out on a terminal where the table has too little room */
  gboolean exact;   /* a number that is a name, like a pid: it has no commas for people */
  gboolean derived; /* for people only: JSON has the value in another column */
} Column;

/* A cell from PostgreSQL's text (NULL: null). New reference. */
json_t *cell_from_text (CellType type, const char *text);

/* The cell as text for people. TERMINAL: null is a dash, times have no microseconds. g_free it. */
char *cell_text (const Column *column, gboolean terminal, const json_t *cell);

/* The escape sequence of the colour that fits a word (dead: red, ...); NULL: none. */
const char *cell_colour (const char *text);
