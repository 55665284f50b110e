#include "cli/stop_line.h"

#include "engine/view/view.h"

json_t *
stop_line_object (const PgRows *rows)
{
  if (rows_count (rows) == 0)
    return json_null ();
  json_t *object = json_object ();
  json_object_set_new (object, "since", cell_from_text (CELL_TIME, rows_text (rows, 0, "since")));
  json_object_set_new (object, "by", cell_from_text (CELL_TEXT, rows_text (rows, 0, "by")));
  json_object_set_new (object, "reason", cell_from_text (CELL_TEXT, rows_text (rows, 0, "reason")));
  return object;
}

void
stop_line_say_object (Output *out, const json_t *stop)
{
  if (!json_is_object (stop))
    return;
  const char *since = json_string_value (json_object_get (stop, "since")),
             *by = json_string_value (json_object_get (stop, "by")),
             *reason = json_string_value (json_object_get (stop, "reason"));
  static const Column time = { "since", CELL_TIME };
  g_autofree char *at = cell_text (&time, TRUE, json_object_get (stop, "since"));
  output_alarm (out, "Everything is stopped since %s%s by %s%s%s; go on with: pruned go", at,
                since != NULL ? " UTC" : "", by != NULL ? by : "-", reason != NULL ? ": " : "",
                reason != NULL ? reason : "");
}

void
stop_line_say (Output *out, const PgRows *rows)
{
  g_autoptr (json_t) stop = stop_line_object (rows);
  stop_line_say_object (out, stop);
}

gboolean
stop_line_show (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgRows) rows = view_ask (pg, VIEW_STOP, NULL, error);
  if (rows != NULL)
    stop_line_say (cli->out, rows);
  return rows != NULL;
}
