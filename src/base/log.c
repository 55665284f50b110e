#include "base/log.h"
#include "base/clock.h"
#include "base/log_format.h"
#include "base/log_queue.h"
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#define LAST_WORDS_MS 1000
#define CLEAR_LINE "\r\033[K"
#define ONE_LINE(text)                                                                             \
  CLEAR_LINE "\033[?7l", text, "\033[?7h" /* cut off at the terminal's right edge */

static atomic_bool live;
static __thread GString *held; /* lines of this thread that will be written together; NULL: each
                                  line is written at once */

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
  log_format_setup (level, json);
  pthread_once (&once, take_glib_lines);
}

/* Writes at most PIPE_BUF bytes at once: a pipe takes that in one piece, so no line of another
 * thread gets in between. */
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
  if (!log_enabled (level))
    return;
  g_autofree char *line = log_format (level, message, fields);
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
  if (!log_enabled (level))
    return;
  g_autoptr (json_t) fields = json_object ();
  va_list args;
  va_start (args, message);
  for (const char *name; (name = va_arg (args, const char *)) != NULL;) {
    const char *value = va_arg (args, const char *);
    if (value != NULL)
      json_object_set_new (fields, name, log_format_text (value));
  }
  va_end (args);
  log_fields (level, message, fields);
}

typedef struct {
  gint64 written_us;
  guint64 held_back;
} Rate;

/* Whether a line of KEY may be written now; if not, counts it as held back. */
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
    g_hash_table_insert (rates, g_strdup (key), rate);
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
    json_object_set_new (fields, "detail", log_format_text (detail));
  if (held_back > 0)
    json_object_set_new (fields, "held_back", json_integer (held_back));
  log_fields (LOG_WARNING, message, fields);
}

/* Logs GLib's own messages like all others. */
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
