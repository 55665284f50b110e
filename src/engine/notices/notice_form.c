#include "engine/notices/notice_form.h"

#include "base/cell.h"
#include "base/cut.h"
#include "base/json.h"

#define MOST_BYTES 2000 /* of what it says: services refuse long messages */

/* The view of the run, or of the job. NULL: there is no page. */
static char *
link_of (const Notice *notice)
{
  if (*notice->page == '\0')
    return NULL;
  const gboolean is_run = *notice->run_id != '\0';
  g_autofree char *value = g_uri_escape_string (is_run ? notice->run_id : notice->job, NULL, FALSE);
  return g_strconcat (notice->page, g_str_has_suffix (notice->page, "/") ? "" : "/",
                      is_run ? "run?id=" : "job?name=", value, NULL);
}

static json_t *
commands_of (const Notice *notice)
{
  json_t *commands = json_loads (notice->commands, 0, NULL);
  return commands != NULL ? commands : json_array ();
}

static char *
as_json (const Notice *notice)
{
  g_autofree char *link = link_of (notice), *says = cut_text (notice->says, MOST_BYTES);
  g_autoptr (json_t) body = json_pack (
      "{s:s, s:s, s:s, s:s?, s:o, s:o, s:s?, s:s}", "kind", notice->kind, "job", notice->job,
      "says", says, "run_id", *notice->run_id != '\0' ? notice->run_id : NULL, "at",
      cell_from_text (CELL_TIME, notice->at), "commands", commands_of (notice), "link", link,
      "prefix", notice->prefix);
  return json_text (body);
}

/* What Slack takes for markup stays text: also `<!channel>`, which would call everybody. */
static void
add_escaped (GString *out, const char *text)
{
  static const char *const marks[][2]
      = { { "&", "&amp;" }, { "<", "&lt;" }, { ">", "&gt;" }, { "`", "'" } };
  for (; *text != '\0'; text++) {
    const char *mark = NULL;
    for (guint i = 0; mark == NULL && i < G_N_ELEMENTS (marks); i++)
      mark = *text == *marks[i][0] ? marks[i][1] : NULL;
    if (mark != NULL)
      g_string_append (out, mark);
    else
      g_string_append_c (out, *text);
  }
}

static char *
as_slack (const Notice *notice)
{
  size_t i;
  json_t *command;
  GString *text = g_string_new ("*");
  g_autofree char *link = link_of (notice), *says = cut_text (notice->says, MOST_BYTES);
  g_autoptr (json_t) commands = commands_of (notice);
  add_escaped (text, notice->job);
  g_string_append (text, "*: ");
  add_escaped (text, says);
  json_array_foreach (commands, i, command) {
    g_string_append (text, "\n`");
    add_escaped (text, json_string_value (command));
    g_string_append (text, "`");
  }
  if (link != NULL) {
    g_string_append (text, "\n<");
    add_escaped (text, link);
    g_string_append (text, "|Look>");
  }
  g_autoptr (json_t) body = json_pack ("{s:s}", "text", text->str);
  g_string_free (text, TRUE);
  return json_text (body);
}

char *
notice_form (const Notice *notice, const char *template)
{
  return g_str_equal (template, "slack") ? as_slack (notice) : as_json (notice);
}
