#include "base/clock.h"
#include "base/log.h"
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int kept_stderr, capture;

/* From then on stderr is a file in memory. */
static void
begin (LogLevel level, gboolean json)
{
  capture = memfd_create ("stderr", 0);
  kept_stderr = dup (STDERR_FILENO);
  g_assert_cmpint (dup2 (capture, STDERR_FILENO), ==, STDERR_FILENO);
  log_setup (level, json);
}

static char *
finish (void)
{
  gsize size = lseek (capture, 0, SEEK_END);
  char *text = g_malloc0 (size + 1);
  g_assert_cmpint (pread (capture, text, size, 0), ==, (gssize)size);
  g_assert_cmpint (dup2 (kept_stderr, STDERR_FILENO), ==, STDERR_FILENO);
  close (kept_stderr);
  close (capture);
  return text;
}

static json_t *
line_at (const char *text, guint index)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (index, <, g_strv_length (lines));
  g_autoptr (GError) error = NULL;
  json_t *line = json_parse (lines[index], strlen (lines[index]), &error);
  g_assert_no_error (error);
  return line;
}

static const char *
field (const json_t *line, const char *name)
{
  return json_string_value (json_object_get (line, name));
}

static guint
count_lines (const char *text)
{
  guint n = 0;
  for (; *text != '\0'; text++)
    n += *text == '\n';
  return n;
}

static void
test_json_line (void)
{
  gint64 before_us = clock_now_us (), at_us;
  begin (LOG_INFO, TRUE);
  log_info ("Started", "job", "a.b", "nothing", NULL, "text", "two\nlines \"q\" ü");
  g_autofree char *text = finish ();
  g_assert_cmpuint (count_lines (text), ==, 1);
  g_assert_true (g_str_has_prefix (text, "{\"time\":\"20"));
  g_autoptr (json_t) line = line_at (text, 0);
  g_assert_cmpstr (field (line, "level"), ==, "info");
  g_assert_cmpstr (field (line, "message"), ==, "Started");
  g_assert_cmpstr (field (line, "job"), ==, "a.b");
  g_assert_cmpstr (field (line, "text"), ==, "two\nlines \"q\" ü");
  g_assert_null (json_object_get (line, "nothing"));
  g_assert_true (clock_parse (field (line, "time"), &at_us, NULL));
  g_assert_cmpint (at_us, >=, before_us);
}

static void
test_json_fields_keep_their_types (void)
{
  g_autoptr (json_t) fields
      = json_pack ("{s:i, s:f, s:b, s:s}", "rows", 7, "duration_s", 0.1, "last", 1, "time", "mine");
  begin (LOG_INFO, TRUE);
  log_fields (LOG_ERROR, "Finished", fields);
  g_autofree char *text = finish ();
  g_autoptr (json_t) line = line_at (text, 0);
  g_assert_cmpint (json_integer_value (json_object_get (line, "rows")), ==, 7);
  g_assert_nonnull (strstr (text, "\"duration_s\":0.1,"));
  g_assert_true (json_is_true (json_object_get (line, "last")));
  g_assert_cmpstr (field (line, "field_time"), ==, "mine");
  g_assert_cmpstr (field (line, "time"), !=, "mine");
  g_assert_cmpstr (field (line, "level"), ==, "error");
}

static void
test_text_line (void)
{
  begin (LOG_DEBUG, FALSE);
  log_debug ("a message", "plain", "x/y:1", "blank", "a b", "empty", "", "quote", "a\"b", "eq",
             "a=b");
  g_autofree char *text = finish ();
  const char *rest = strchr (text, ' ');
  g_assert_nonnull (rest);
  g_assert_cmpstr (
      rest, ==,
      " debug   a message plain=x/y:1 blank=\"a b\" empty=\"\" quote=\"a\\\"b\" eq=\"a=b\"\n");
}

/* Machines read JSON. */
static void
test_people_read_the_words_of_a_state (void)
{
  for (int json = FALSE; json <= TRUE; json++) {
    begin (LOG_INFO, json);
    log_info ("Finished", "status", "limit_reached");
    g_autofree char *text = finish ();
    g_assert_nonnull (
        strstr (text, json ? "\"status\":\"limit_reached\"" : "status=\"more to come\""));
  }
}

static void
test_text_stays_one_harmless_line (void)
{
  begin (LOG_INFO, FALSE);
  log_error ("two\nlines\033[2J", "value", "x\ny\033");
  g_autofree char *text = finish ();
  g_assert_cmpuint (count_lines (text), ==, 1);
  g_assert_null (strchr (text, '\033'));
  g_assert_nonnull (strstr (text, "two lines [2J value=\"x\\ny\\u001b\""));
}

static void
test_level_is_the_least_written (void)
{
  begin (LOG_WARNING, TRUE);
  log_debug ("no");
  log_info ("no");
  log_warning ("yes");
  log_error ("yes");
  log_fields (LOG_INFO, "no", NULL);
  g_autofree char *text = finish ();
  g_assert_cmpuint (count_lines (text), ==, 2);
  g_assert_null (strstr (text, "\"no\""));
}

static void
test_level_names (void)
{
  LogLevel level;
  g_assert_true (log_level_parse ("debug", &level) && level == LOG_DEBUG);
  g_assert_true (log_level_parse ("info", &level) && level == LOG_INFO);
  g_assert_true (log_level_parse ("warning", &level) && level == LOG_WARNING);
  g_assert_true (log_level_parse ("error", &level) && level == LOG_ERROR);
  g_assert_false (log_level_parse ("warn", &level));
  g_assert_false (log_level_parse ("", &level));
}

static void
test_bytes_that_are_no_text (void)
{
  begin (LOG_INFO, TRUE);
  log_info ("bad \xff", "value", "\xc3(");
  g_autofree char *text = finish ();
  g_autoptr (json_t) line = line_at (text, 0);
  g_assert_cmpstr (field (line, "message"), ==, "bad \xef\xbf\xbd");
  g_assert_cmpstr (field (line, "value"), ==, "\xef\xbf\xbd(");
}

static void
test_rate_limit_counts_what_it_holds_back (void)
{
  begin (LOG_INFO, TRUE);
  log_warning_every (3600, "one", "first", "why");
  log_warning_every (3600, "one", "held", NULL);
  log_warning_every (3600, "one", "held", NULL);
  log_warning_every (3600, "two", "other", NULL);
  log_warning_every (0, "one", "again", NULL);
  log_warning_every (0, "one", "again", NULL);
  g_autofree char *text = finish ();
  g_assert_cmpuint (count_lines (text), ==, 4);
  g_assert_null (strstr (text, "\"held\""));
  g_autoptr (json_t) first = line_at (text, 0), again = line_at (text, 2), last = line_at (text, 3);
  g_assert_cmpstr (field (first, "detail"), ==, "why");
  g_assert_null (json_object_get (first, "held_back"));
  g_assert_cmpint (json_integer_value (json_object_get (again, "held_back")), ==, 2);
  g_assert_null (json_object_get (last, "held_back"));
}

static void
test_glib_speaks_in_lines_too (void)
{
  begin (LOG_INFO, TRUE);
  g_log_structured ("Some-Domain", G_LOG_LEVEL_WARNING, "MESSAGE", "from %s", "GLib");
  g_autofree char *text = finish ();
  g_autoptr (json_t) line = line_at (text, 0);
  g_assert_cmpstr (field (line, "level"), ==, "warning");
  g_assert_cmpstr (field (line, "message"), ==, "from GLib");
  g_assert_cmpstr (field (line, "domain"), ==, "Some-Domain");
}

/* A pipe takes at most PIPE_BUF in one piece: its reader must never see half a line of ours inside
 * a line of another process. */
static void
test_lines_that_are_held_come_together_and_whole (void)
{
  int ends[2], kept = dup (STDERR_FILENO);
  char piece[PIPE_BUF + 1];
  gssize len;
  guint pieces = 0, lines = 0;
  g_assert_cmpint (pipe2 (ends, O_DIRECT | O_NONBLOCK), ==, 0);
  g_assert_cmpint (dup2 (ends[1], STDERR_FILENO), ==, STDERR_FILENO);
  log_setup (LOG_INFO, TRUE);
  log_hold ();
  for (guint i = 0; i < 100; i++)
    log_info ("Started", "job", "a.b");
  len = read (ends[0], piece, sizeof piece);
  log_release ();
  log_info ("Started", "job", "a.b");
  g_assert_cmpint (dup2 (kept, STDERR_FILENO), ==, STDERR_FILENO);
  for (; len > 0; len = read (ends[0], piece, sizeof piece), pieces++) {
    g_assert_cmpint (len, <=, PIPE_BUF);
    g_assert_cmpint (piece[len - 1], ==, '\n');
    piece[len] = '\0';
    lines += count_lines (piece);
  }
  g_assert_cmpuint (lines, ==, 101);
  g_assert_cmpuint (pieces, <, 10);
  close (ends[0]);
  close (ends[1]);
  close (kept);
}

static void
test_live (void)
{
  begin (LOG_INFO, FALSE);
  log_live (NULL); /* there is none yet */
  log_live ("at work");
  log_info ("said");
  log_live (NULL);
  log_info ("after");
  g_autofree char *text = finish ();
  g_assert_true (g_str_has_prefix (text, "\r\033[K\033[?7lat work\033[?7h\r\033[K"));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_nonnull (strstr (lines[0], "said"));
  g_assert_cmpstr (lines[1], ==, "");
  g_assert_nonnull (strstr (lines[2], "after"));
  g_assert_null (strstr (lines[2], "\033[K"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_test_add_func ("/log/json_line", test_json_line);
  g_test_add_func ("/log/json_fields_keep_their_types", test_json_fields_keep_their_types);
  g_test_add_func ("/log/text_line", test_text_line);
  g_test_add_func ("/log/words", test_people_read_the_words_of_a_state);
  g_test_add_func ("/log/text_stays_one_harmless_line", test_text_stays_one_harmless_line);
  g_test_add_func ("/log/level_is_the_least_written", test_level_is_the_least_written);
  g_test_add_func ("/log/level_names", test_level_names);
  g_test_add_func ("/log/bytes_that_are_no_text", test_bytes_that_are_no_text);
  g_test_add_func ("/log/rate_limit_counts_what_it_holds_back",
                   test_rate_limit_counts_what_it_holds_back);
  g_test_add_func ("/log/glib_speaks_in_lines_too", test_glib_speaks_in_lines_too);
  g_test_add_func ("/log/lines_that_are_held_come_together_and_whole",
                   test_lines_that_are_held_come_together_and_whole);
  g_test_add_func ("/log/live", test_live);
  return g_test_run ();
}
