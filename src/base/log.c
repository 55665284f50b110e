#include "base/log.h"
#include "base/clock.h"
#include "base/log_queue.h"
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "debug", "info", "warning", "error" };
static const char *const colours[] = { "\033[2m", "\033[32m", "\033[33m", "\033[31m" };
#define LAST_WORDS_MS 1000
#define PLAIN "\033[0m"
#define CLEAR_LINE "\r\033[K"
#define ONE_LINE(text) CLEAR_LINE "\033[?7l", text, "\033[?7h" /* cut where the terminal ends */

static atomic_int least = LOG_INFO;
static atomic_bool as_json, coloured, live;
static __thread GString
    *held; /* lines of this thread that are written together; NULL: each at once */

static GLogWriterOutput write_glib (GLogLevelFlags flags, const GLogField *fields, gsize n_fields,
                                    gpointer data);

static void
take_glib_lines (void)
{
  g_log_set_writer_func (write_glib, NULL, NULL);
}

void
log_setup (LogLevel level, gboolean json)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  atomic_store (&least, level);
  atomic_store (&as_json, json);
  atomic_store (&coloured, !json && isatty (STDERR_FILENO) && g_getenv ("NO_COLOR") == NULL);
  pthread_once (&once, take_glib_lines);
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

static json_t *
text_value (const char *text)
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
  g_autoptr (json_t) words = text_value (message);
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

/* Whether TEXT stands for itself in a text line. */
static gboolean
is_plain (const char *text, const char *forbidden)
{
  if (*text == '\0')
    return FALSE;
  for (; *text != '\0'; text++)
    if ((guchar)*text < 0x20 || *text == 0x7f || strchr (forbidden, *text) != NULL)
      return FALSE;
  return TRUE;
}

/* Control characters would end the line or drive the terminal. */
static void
append_message (GString *line, const char *message)
{
  for (; *message != '\0'; message++)
    if ((guchar)*message < 0x20 || *message == 0x7f)
      g_string_append_c (line, ' ');
    else
      g_string_append_c (line, *message);
}

static void
append_field (GString *line, const char *key, const json_t *value)
{
  const char *text = json_string_value (value);
  g_string_append_printf (line, " %s=", key);
  if (text != NULL && is_plain (text, " \"=\\")) {
    g_string_append (line, text);
    return;
  }
  g_autofree char *quoted = json_text (value);
  g_string_append (line, quoted);
}

static char *
text_line (const char *time, LogLevel level, const char *message, const json_t *fields)
{
  GString *line = g_string_new (time);
  g_autofree char *valid = g_utf8_make_valid (message, -1);
  if (atomic_load (&coloured))
    g_string_append_printf (line, " %s%-7s" PLAIN " ", colours[level], names[level]);
  else
    g_string_append_printf (line, " %-7s ", names[level]);
  append_message (line, valid);
  const char *key;
  json_t *value;
  json_object_foreach ((json_t *)fields, key, value)
    append_field (line, key, value);
  g_string_append_c (line, '\n');
  return g_string_free (line, FALSE);
}

/* No more at once than what a pipe takes in one piece, or lines of other threads would get in
 * between. */
static void
hold (const char *line)
{
  gsize len = strlen (line);
  if (held->len > 0 && held->len + len > PIPE_BUF) {
    log_queue_put (held->str, held->len);
    g_string_truncate (held, 0);
  }
  g_string_append_len (held, line, len);
}

void
log_fields (LogLevel level, const char *message, const json_t *fields)
{
  if ((int)level < atomic_load (&least))
    return;
  g_autofree char *time = clock_format (clock_now_us ());
  g_autofree char *line = atomic_load (&as_json) ? json_line (time, level, message, fields)
                                                 : text_line (time, level, message, fields);
  if (held != NULL) {
    hold (line);
    return;
  }
  g_autofree char *above = atomic_load (&live) ? g_strconcat (CLEAR_LINE, line, NULL) : NULL;
  const char *written = above != NULL ? above : line;
  log_queue_put (written, strlen (written));
}

void
log_hold (void)
{
  if (held == NULL && !atomic_load (&live))
    held = g_string_sized_new (PIPE_BUF);
}

void
log_release (void)
{
  if (held == NULL)
    return;
  log_queue_put (held->str, held->len);
  g_string_free (held, TRUE);
  held = NULL;
}

void
log_live (const char *text)
{
  if (text == NULL && !atomic_exchange (&live, FALSE))
    return;
  g_autofree char *line = text != NULL ? g_strconcat (ONE_LINE (text), NULL) : g_strdup ("\n");
  if (text != NULL)
    atomic_store (&live, TRUE);
  log_queue_put (line, strlen (line));
}

void
log_line (LogLevel level, const char *message, ...)
{
  if ((int)level < atomic_load (&least))
    return;
  g_autoptr (json_t) fields = json_object ();
  va_list args;
  va_start (args, message);
  for (const char *name; (name = va_arg (args, const char *)) != NULL;) {
    const char *value = va_arg (args, const char *);
    if (value != NULL)
      json_object_set_new (fields, name, text_value (value));
  }
  va_end (args);
  log_fields (level, message, fields);
}

typedef struct {
  gint64 written_us;
  guint64 held_back;
} Rate;

/* Whether KEY may write now; counts it if not. */
static gboolean
may_write (guint interval_s, const char *key, guint64 *held_back)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static GHashTable *rates;
  gint64 now_us = clock_monotonic_us ();
  pthread_mutex_lock (&lock);
  if (rates == NULL)
    rates = g_hash_table_new (g_str_hash, g_str_equal);
  Rate *rate = g_hash_table_lookup (rates, key);
  gboolean free_to
      = rate == NULL || now_us - rate->written_us >= (gint64)interval_s * G_USEC_PER_SEC;
  if (rate == NULL) {
    rate = g_new0 (Rate, 1);
    g_hash_table_insert (rates, (gpointer)key, rate);
  }
  if (free_to) {
    *held_back = rate->held_back;
    *rate = (Rate){ .written_us = now_us };
  } else
    rate->held_back++;
  pthread_mutex_unlock (&lock);
  return free_to;
}

void
log_warning_every (guint interval_s, const char *key, const char *message, const char *detail)
{
  guint64 held_back;
  if (!may_write (interval_s, key, &held_back))
    return;
  g_autoptr (json_t) fields = json_object ();
  if (detail != NULL)
    json_object_set_new (fields, "detail", text_value (detail));
  if (held_back > 0)
    json_object_set_new (fields, "held_back", json_integer (held_back));
  log_fields (LOG_WARNING, message, fields);
}

/* What GLib itself has to say is a line like any other. */
static GLogWriterOutput
write_glib (GLogLevelFlags flags, const GLogField *fields, gsize n_fields, gpointer data)
{
  const char *message = "GLib message without text", *domain = NULL;
  for (gsize i = 0; i < n_fields; i++) {
    if (g_str_equal (fields[i].key, "MESSAGE"))
      message = fields[i].value;
    else if (g_str_equal (fields[i].key, "GLIB_DOMAIN"))
      domain = fields[i].value;
  }
  LogLevel level = flags & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL) ? LOG_ERROR
                   : flags & G_LOG_LEVEL_WARNING                      ? LOG_WARNING
                   : flags & (G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO) ? LOG_INFO
                                                                      : LOG_DEBUG;
  log_line (level, message, "domain", domain, NULL);
  if (flags & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL)) /* the process ends here */
    log_queue_drain (LAST_WORDS_MS);
  return G_LOG_WRITER_HANDLED;
}

gboolean
log_enabled (LogLevel level)
{
  return (int)level >= atomic_load (&least);
}
