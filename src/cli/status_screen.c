#include "cli/status.h"

#include "base/clock.h"
#include "base/plural.h"
#include "cli/gentle.h"
#include "cli/replica.h"
#include "cli/running_settings.h"
#include "cli/stop_line.h"
#include "base/words.h"
#include "engine/clock/processes.h"
#include "engine/job/in_force.h"

/* `a 3, b 0` of an object, `a, b` of an array; "-": it is empty. */
static char *
words_of (const json_t *value)
{
  GString *words = g_string_new (NULL);
  const char *key;
  json_t *each;
  size_t i;
  json_object_foreach ((json_t *)value, key, each) {
    g_autofree char *text = json_is_string (each) ? g_strdup (json_string_value (each))
                            : json_is_null (each) ? g_strdup ("not known")
                                                  : json_text (each);
    g_string_append_printf (words, "%s%s %s", words->len > 0 ? ", " : "", key, text);
  }
  json_array_foreach ((json_t *)value, i, each)
    g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", json_string_value (each));
  if (words->len == 0)
    g_string_append (words, "-");
  return g_string_free (words, FALSE);
}

static const char *
text_in (const json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));
  return text != NULL ? text : "-";
}

static void
say_postgres (Output *out, const json_t *facts)
{
  if (json_object_get (facts, "error") != NULL)
    output_titled (out, "PostgreSQL", "%s: %s",
                   json_is_true (json_object_get (facts, "connected")) ? "is up, but" : "down",
                   text_in (facts, "error"));
  else
    output_titled (out, "PostgreSQL", "%s, database %s, schema at step %" JSON_INTEGER_FORMAT,
                   text_in (facts, "version"), text_in (facts, "database"),
                   json_integer_value (json_object_get (facts, "schema")));
}

static void
say_kafka (Output *out, const json_t *facts)
{
  if (!json_is_true (json_object_get (facts, "connected"))) {
    output_titled (out, "Kafka", "down: %s", text_in (facts, "error"));
    return;
  }
  output_titled (out, "Kafka", "%s, cluster %s", text_in (facts, "bootstrap"),
                 text_in (facts, "cluster_id"));
  if (json_object_get (facts, "unread") != NULL)
    output_titled (out, "", "%s", text_in (facts, "unread"));
  const char *const lists[] = { "missing", "too_few_partitions" };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    const json_t *names = json_object_get (facts, lists[i]);
    g_autofree char *words = words_of (names);
    if (json_array_size (names) > 0)
      output_titled (out, "", "topics %s: %s; run: pruned topics --apply",
                     i == 0 ? "missing" : "with too few partitions", words);
  }
}

static void
say_words (Output *out, const char *title, const json_t *value)
{
  g_autofree char *words = words_of (value);
  if (value != NULL)
    output_titled (out, title, "%s", words);
}

/* `in 9 h` of a time of OBJECT; `-`: it has none. */
static char *
time_in (const json_t *object, const char *key)
{
  char *words = words_of_time (json_string_value (json_object_get (object, key)), clock_now_us ());
  return words != NULL ? words : g_strdup ("-");
}

/* `2 run: 4711 on a, 4712 on b`; whether somebody works is the first question. */
static void
say_processes (Output *out, const json_t *processes)
{
  g_autoptr (GString) run = g_string_new (NULL), silent = g_string_new (NULL);
  guint n = 0;
  size_t i;
  json_t *one;
  json_array_foreach ((json_t *)processes, i, one) {
    const gboolean runs = json_is_true (json_object_get (one, "running"));
    GString *list = runs ? run : silent;
    n += runs;
    g_string_append_printf (list, "%s%" JSON_INTEGER_FORMAT " on %s", list->len > 0 ? ", " : "",
                            json_integer_value (json_object_get (one, "pid")),
                            text_in (one, "host"));
  }
  if (processes != NULL && n == 0)
    output_titled (out, "Processes", "none runs: no tick is sent, and no run goes on");
  else if (processes != NULL)
    output_titled (out, "Processes", "%u %s: %s", n, plural (n, "runs", "run"), run->str);
  if (silent->len > 0)
    output_titled (out, "", "not heard of for more than %d s: %s", PROCESSES_FORCE_S, silent->str);
}

/* The commands for runs that go on by no other way. */
static void
say_runs (Output *out, const json_t *runs)
{
  say_words (out, "Runs", runs);
  if (json_integer_value (json_object_get (runs, "held")) > 0)
    output_titled (out, "", "held: pruned approve RUN or discard RUN (pruned runs --state held)");
  if (json_integer_value (json_object_get (runs, "dead")) > 0)
    output_titled (out, "", "dead: pruned retry RUN or discard RUN (pruned runs --state dead)");
}

/* A line for each. */
static void
say_schedules (Output *out, const json_t *schedules)
{
  const char *job;
  json_t *at;
  gboolean first = TRUE;
  if (schedules != NULL && json_object_size (schedules) == 0)
    output_titled (out, "Schedules", "-");
  json_object_foreach ((json_t *)schedules, job, at) {
    g_autofree char *when = time_in (schedules, job);
    output_titled (out, first ? "Schedules" : "", "%s %s", job, when);
    first = FALSE;
  }
}

/* A null is shown as not known. */
static void
say_number (Output *out, const char *title, const json_t *value)
{
  if (value != NULL)
    output_say (out, "%-11s %" JSON_INTEGER_FORMAT, title, json_integer_value (value));
  else
    output_say (out, "%-11s not known", title);
}

/* Only topics with a lag: there are many topics. */
static void
say_lag (Output *out, const json_t *lag)
{
  g_autoptr (json_t) some = json_object ();
  const char *topic;
  json_t *n;
  json_object_foreach ((json_t *)lag, topic, n)
    if (json_is_null (n) || json_integer_value (n) != 0)
      json_object_set (some, topic, n);
  if (lag != NULL)
    say_words (out, "Lag", some);
}

static void
say_stores (Output *out, const json_t *stores)
{
  const char *name;
  json_t *place;
  g_autoptr (json_t) set = json_object ();
  json_object_foreach ((json_t *)stores, name, place)
    if (json_is_string (place))
      json_object_set (set, name, place);
  say_words (out, "Stores", set);
}

/* `plan: a, b; off: c`, `plan: all jobs`, or that no job only plans. */
static void
say_modes (Cli *cli, const json_t *modes)
{
  static const char *const words[] = { "plan", "off", NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; words[i] != NULL; i++) {
    g_autofree char *jobs = running_settings_in_mode (cli, modes, words[i]);
    if (jobs != NULL)
      g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "; " : "", words[i], jobs);
  }
  if (modes != NULL && jobs_count (cli->jobs) == 0)
    output_titled (cli->out, "Mode", "%s (no job is in force)",
                   in_force_mode_word (in_force_general_mode ()));
  else if (modes != NULL)
    output_titled (cli->out, "Mode", "%s", text->len > 0 ? text->str : "apply");
}

/* A line for each job that is paused: until when, by whom and why. */
static void
say_pauses (Output *out, const json_t *pauses)
{
  json_t *one;
  size_t i;
  if (pauses != NULL && json_array_size (pauses) == 0)
    output_say (out, "Paused      -");
  json_array_foreach ((json_t *)pauses, i, one) {
    const char *until = json_string_value (json_object_get (one, "until")),
               *by = json_string_value (json_object_get (one, "by")),
               *reason = json_string_value (json_object_get (one, "reason"));
    output_titled (out, i == 0 ? "Paused" : "", "%s%s%s%s%s%s%s", text_in (one, "job"),
                   until != NULL ? " until " : "", until != NULL ? until : "",
                   by != NULL ? ", by " : "", by != NULL ? by : "", reason != NULL ? ": " : "",
                   reason != NULL ? reason : "");
  }
}

void
status_say (Cli *cli, const json_t *found)
{
  Output *out = cli->out;
  stop_line_say_object (out, json_object_get (found, "stop"));
  say_postgres (out, json_object_get (found, "postgres"));
  replica_say (out, found);
  say_kafka (out, json_object_get (found, "kafka"));
  say_stores (out, json_object_get (found, "stores"));
  say_processes (out, json_object_get (found, "processes"));
  say_runs (out, json_object_get (found, "runs"));
  g_autofree char *next = time_in (found, "next_due");
  if (json_object_get (found, "runs") != NULL)
    output_titled (out, "Next due", "%s", next);
  say_schedules (out, json_object_get (found, "schedules"));
  say_modes (cli, json_object_get (found, "modes"));
  say_pauses (out, json_object_get (found, "pauses"));
  if (json_array_size (json_object_get (found, "quiet")) > 0)
    say_words (out, "Quiet hours", json_object_get (found, "quiet"));
  say_words (out, "Blocked", json_object_get (found, "blocked"));
  if (json_object_size (json_object_get (found, "removed")) > 0)
    say_words (out, "Removed", json_object_get (found, "removed"));
  if (json_object_size (json_object_get (found, "overdue")) > 0) {
    say_words (out, "Overdue", json_object_get (found, "overdue"));
    output_titled (out, "", "rows past their deadline: pruned night");
  }
  gentle_say (out, found);
  say_lag (out, json_object_get (found, "lag"));
  say_number (out, "Unpublished", json_object_get (found, "unpublished"));
  say_number (out, "Quarantine", json_object_get (found, "quarantine"));
  say_number (out, "Dead", json_object_get (found, "dead"));
}
