#include "base/log_format.h"

#include "base/clock.h"
#include "base/spoken.h"
#include "base/visible.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define COMMA ,
static const char *const names[] = { LOG_LEVELS (COMMA) };
static const char *const colours[] = { "\033[2m", "\033[32m", "\033[33m", "\033[31m" };
#define PLAIN "\033[0m"

static atomic_int least = LOG_INFO;
static atomic_bool as_json, coloured;

void
log_format_setup (LogLevel level, gboolean json)
{
  atomic_store (&least, level);
  atomic_store (&as_json, json);
  atomic_store (&coloured, !json && isatty (STDERR_FILENO) && g_getenv ("NO_COLOR") == NULL);
}

gboolean
log_enabled (LogLevel level)
{
  return (int)level >= atomic_load (&least);
}

gboolean
log_level_parse (const char *text, LogLevel *level)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (text, names[i])) {
      *level = i;
      return TRUE;
    }
  return FALSE;
}

json_t *
log_format_text (const char *text)
{
  if (g_utf8_validate (text, -1, NULL))
    return json_string (text);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return json_string (valid);
}

static void
append_member (GString *line, const char *key, const json_t *value)
{
  gboolean taken
      = g_str_equal (key, "time") || g_str_equal (key, "level") || g_str_equal (key, "message");
  g_autofree char *other = taken ? g_strconcat ("field_", key, NULL) : NULL;
  const char *name = other != NULL ? other : key;
  g_string_append_c (line, ',');
  json_append_quoted (line, name, strlen (name));
  g_string_append_c (line, ':');
  json_append (line, value);
}

static char *
json_line (const char *time, LogLevel level, const char *message, const json_t *fields)
{
  g_autoptr (json_t) words = log_format_text (message);
  GString *line = g_string_sized_new (512);
  g_string_append (line, "{\"time\":\"");
  g_string_append (line, time);
  g_string_append (line, "\",\"level\":\"");
  g_string_append (line, names[level]);
  g_string_append (line, "\",\"message\":");
  json_append (line, words);
  const char *key;
  json_t *value;
  json_object_foreach ((json_t *)fields, key, value)
    append_member (line, key, value);
  g_string_append (line, "}\n");
  return g_string_free (line, FALSE);
}

/* Whether TEXT needs no quotes in a text line. */
static gboolean
is_plain (const char *text, const char *forbidden)
{
  if (*text == '\0')
    return FALSE;
  for (; *text != '\0'; text++)
    if (g_ascii_iscntrl (*text) || strchr (forbidden, *text) != NULL)
      return FALSE;
  return TRUE;
}

/* Of values that machines read, people read the words. */
static void
append_field (GString *line, const char *key, const json_t *value)
{
  const char *said = json_string_value (value), *text = said != NULL ? spoken_word (said) : NULL;
  g_autoptr (json_t) spoken = text != said ? json_string (text) : NULL;
  gboolean plain = text != NULL && is_plain (text, " \"=\\");
  g_autofree char *exact = plain ? g_strdup (text) : json_text (spoken != NULL ? spoken : value),
                  *shown = visible_line (exact);
  g_string_append_printf (line, " %s=%s", key, shown);
}

static char *
text_line (const char *time, LogLevel level, const char *message, const json_t *fields)
{
  GString *line = g_string_new (time);
  g_autofree char *shown = visible_line (message);
  if (atomic_load (&coloured))
    g_string_append_printf (line, " %s%-7s" PLAIN " ", colours[level], names[level]);
  else
    g_string_append_printf (line, " %-7s ", names[level]);
  g_string_append (line, shown);
  const char *key;
  json_t *value;
  json_object_foreach ((json_t *)fields, key, value)
    append_field (line, key, value);
  g_string_append_c (line, '\n');
  return g_string_free (line, FALSE);
}

char *
log_format (LogLevel level, const char *message, const json_t *fields)
{
  g_autofree char *time = clock_format (clock_now_us ());
  return atomic_load (&as_json) ? json_line (time, level, message, fields)
                                : text_line (time, level, message, fields);
}
