#include "base/cell.h"

#include "base/visible.h"

#include <string.h>

static const struct {
  const char *word, *colour;
} COLOURS[] = {
  { "finished", "\033[32m" }, { "ok", "\033[32m" },      { "removed", "\033[32m" },
  { "made", "\033[32m" },     { "applied", "\033[32m" }, { "dead", "\033[31m" },
  { "failed", "\033[31m" },   { "missing", "\033[31m" }, { "invalid", "\033[31m" },
  { "down", "\033[31m" },     { "skipped", "\033[33m" }, { "kept", "\033[33m" },
  { "paused", "\033[33m" },   { "parked", "\033[33m" },  { "held", "\033[33m" },
  { "waiting", "\033[36m" },  { "blocked", "\033[31m" }, { "ready", "\033[36m" },
  { "error", "\033[31m" },    { "warning", "\033[33m" },
};

/* PostgreSQL's `2026-11-21 10:20:30.1+00` as RFC 3339 with microseconds. Our transactions have
 * time zone UTC and DateStyle ISO. */
static json_t *
time_cell (const char *text)
{
  gsize whole = strlen ("2026-11-21 10:20:30");
  if (strlen (text) < whole || !g_str_has_suffix (text, "+00"))
    return json_string (text); /* infinity, or a year BC */
  char micros[] = "000000";
  if (text[whole] == '.')
    for (guint i = 0; i < 6 && g_ascii_isdigit (text[whole + 1 + i]); i++)
      micros[i] = text[whole + 1 + i];
  g_autofree char *time = g_strdup_printf ("%.10sT%.8s.%sZ", text, text + 11, micros);
  return json_string (time);
}

json_t *
cell_from_text (CellType type, const char *text)
{
  json_t *value = NULL;
  if (text == NULL)
    return json_null ();
  if (type == CELL_TIME)
    return time_cell (text);
  if (type == CELL_BOOL)
    return json_boolean (text[0] == 't');
  if (type == CELL_NUMBER || type == CELL_JSON)
    value = json_parse_exact (text, strlen (text), NULL);
  return value != NULL ? value : json_string (text);
}

char *
cell_text (const Column *column, gboolean terminal, const json_t *cell)
{
  if (cell == NULL || json_is_null (cell))
    return g_strdup (terminal ? "-" : "");
  g_autofree char *exact
      = json_is_string (cell) ? g_strdup (json_string_value (cell)) : json_text (cell);
  char *text = visible_line (exact);
  if (column->type == CELL_TIME && terminal && strlen (text) > 19) {
    text[10] = ' ';
    text[19] = '\0';
  }
  return text;
}

const char *
cell_colour (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (COLOURS); i++)
    if (g_str_equal (text, COLOURS[i].word))
      return COLOURS[i].colour;
  return NULL;
}
