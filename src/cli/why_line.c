#include "cli/why_line.h"

#include "base/clock.h"

static json_t *
time_cell (gint64 us)
{
  g_autofree char *time = us >= 0 ? clock_format (us) : NULL;
  return cell_from_text (CELL_TIME, time);
}

static json_t *
text_cell (const char *text)
{
  return text != NULL ? json_string (text) : json_null ();
}

void
why_line_show (Output *out, const char *table, const char *key, const WhyLine *line,
               const char *says)
{
  json_t *commands = json_array ();
  for (guint i = 0; i < G_N_ELEMENTS (line->commands) && line->commands[i] != NULL; i++)
    json_array_append_new (commands, json_string (line->commands[i]));
  if (output_is_json (out)) {
    g_autofree char *item = g_strdup_printf ("%s:%s", table, key);
    output_row (out, json_string (item), text_cell (line->job), json_string (line->verdict),
                json_string (says), text_cell (line->reason), time_cell (line->due_us),
                cell_from_text (CELL_TIME, line->next_at), commands);
    return;
  }
  output_line (out, "%s%s%s", line->job != NULL ? line->job : "", line->job != NULL ? ": " : "",
               says);
  for (guint i = 0; i < G_N_ELEMENTS (line->commands) && line->commands[i] != NULL; i++)
    output_line (out, "  %s", line->commands[i]);
  json_decref (commands);
}
