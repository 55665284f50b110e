#include "cli/demo/demo.h"

#include "avro/message.h"
#include "base/clock.h"
#include "cli/demo/files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_US (200 * 1000)
#define PLAIN_EVERY_US (2 * G_USEC_PER_SEC) /* where a line cannot be overwritten */
#define WATCH_US (40 * G_USEC_PER_SEC)
#define READ_MS 10000
#define REFRESH "users.refresh_authorizations"

/* --- the live line ---------------------------------------------------------------------------- */

typedef struct {
  gint64 began_us, shown_us, looked_us;
  gint64 rows;
  gboolean refreshed; /* a tick was sent for the requests that are due */
} Watch;

static void
show_line (Demo *demo, Watch *watch, const PgRows *now)
{
  gboolean live = isatty (STDOUT_FILENO);
  gint64 us = clock_monotonic_us (), rows = rows_int (now, 0, "rows");
  double rate = (double)(rows - watch->rows) * 1e6 / (double)MAX (us - watch->looked_us, 1);
  if (output_is_json (demo->cli->out) || (!live && us - watch->shown_us < PLAIN_EVERY_US))
    return;
  printf ("%s%5.1f s  %" G_GINT64_FORMAT " rows deleted, %.0f/s; %" G_GINT64_FORMAT
          " expired memberships left; %" G_GINT64_FORMAT " runs finished, %" G_GINT64_FORMAT
          " open%s",
          live ? "\r\033[K" : "", (double)(us - watch->began_us) / 1e6, rows, rate,
          rows_int (now, 0, "expired"), rows_int (now, 0, "finished"), rows_int (now, 0, "runs"),
          live ? "" : "\n");
  fflush (stdout);
  watch->shown_us = watch->looked_us = us;
  watch->rows = rows;
}

/* The refresh requests are due a second after the removals. Their job has a tick each minute; the
 * demo sends one earlier. */
static gboolean
refresh (Demo *demo, const PgRows *now, Watch *watch, GError **error)
{
  if (rows_int (now, 0, "begun") < demo->ticks || rows_int (now, 0, "runs") > 0
      || rows_int (now, 0, "dirty_due") == 0 || watch->refreshed)
    return TRUE;
  watch->refreshed = rows_int (now, 0, "dirty_due") == rows_int (now, 0, "dirty");
  if (isatty (STDOUT_FILENO))
    output_say (demo->cli->out, "%s", "");
  return demo_tick (demo, REFRESH, error);
}

static gboolean
is_over (const Demo *demo, const PgRows *now)
{
  return rows_int (now, 0, "begun") >= demo->ticks && rows_int (now, 0, "runs") == 0
         && rows_int (now, 0, "dirty") == 0;
}

gboolean
demo_watch (Demo *demo, GError **error)
{
  gint64 us = clock_monotonic_us ();
  Watch watch = { us, 0, us, 0, FALSE };
  while (clock_monotonic_us () < watch.began_us + WATCH_US) {
    g_autoptr (PgRows) now = demo_ask (demo, "src/cli/demo/sql/left.sql", error);
    if (now == NULL || demo_is_interrupted (error) || !demo_daemon_is_there (demo, error))
      return FALSE;
    show_line (demo, &watch, now);
    if (is_over (demo, now))
      break;
    if (!refresh (demo, now, &watch, error))
      return FALSE;
    g_usleep (LOOK_US);
  }
  if (isatty (STDOUT_FILENO))
    output_say (demo->cli->out, "%s", "");
  if (clock_monotonic_us () >= watch.began_us + WATCH_US)
    output_say (demo->cli->out, "The rest continues while the results are shown.");
  return TRUE;
}

/* --- before and after ------------------------------------------------------------------------- */

static const Column COUNTS[] = { { "rows of" },
                                 { "before", CELL_NUMBER },
                                 { "after", CELL_NUMBER },
                                 { "difference", CELL_NUMBER },
                                 { "deleted", CELL_NUMBER },
                                 { "updated", CELL_NUMBER },
                                 { NULL } };
static const Column RUNS[] = { { "job" },
                               { "runs", CELL_NUMBER },
                               { "steps", CELL_NUMBER },
                               { "updated_rows", CELL_NUMBER },
                               { "kept", CELL_NUMBER },
                               { "failed", CELL_NUMBER },
                               { "seconds", CELL_NUMBER },
                               { NULL } };
static const Column KEPT[]
    = { { "kept" }, { "why" }, { "rows", CELL_NUMBER }, { "example" }, { NULL } };
static const Column QUARANTINED[]
    = { { "job" },    { "item" }, { "items", CELL_NUMBER }, { "parked", CELL_BOOL },
        { "reason" }, { NULL } };
static const Column OUTCOMES[]
    = { { "outcome" }, { "reason" }, { "messages", CELL_NUMBER }, { NULL } };

/* The number of a table's rows in the audit; NULL: none. */
static json_t *
changed (const PgRows *changes, const char *table, const char *column)
{
  for (int i = 0; i < rows_count (changes); i++)
    if (g_str_equal (rows_text (changes, i, "table_name"), table))
      return cell_from_text (CELL_NUMBER, rows_text (changes, i, column));
  return NULL;
}

static void
put_count (Demo *demo, const char *what, gint64 was, gint64 is, const PgRows *changes)
{
  output_row (demo->cli->out, json_string (what), json_integer (was), json_integer (is),
              is == was ? NULL : json_integer (is - was), changed (changes, what, "deleted"),
              changed (changes, what, "updated"));
}

static gboolean
show_counts (Demo *demo, GError **error)
{
  g_autoptr (PgRows) after = demo_ask (demo, "src/cli/demo/sql/counts.sql", error);
  g_autoptr (PgRows) changes
      = after != NULL ? demo_ask (demo, "src/cli/demo/sql/changed.sql", error) : NULL;
  if (changes == NULL)
    return FALSE;
  output_say (demo->cli->out,
              "Before and after; deleted and updated are from the audit (pruned.deletions)");
  output_table (demo->cli->out, COUNTS);
  for (int i = 0; i < rows_count (after); i++)
    put_count (demo, rows_text (after, i, "what"), rows_int (demo->before, i, "n"),
               rows_int (after, i, "n"), changes);
  put_count (demo, "files of the local store", demo->files, files_count (demo->objects), changes);
  output_end (demo->cli->out);
  return TRUE;
}

static gboolean
show_rows (Demo *demo, const char *title, const Column *columns, const char *file, GError **error)
{
  g_autoptr (PgRows) rows = demo_ask (demo, file, error);
  if (rows == NULL)
    return FALSE;
  demo_title (demo, title);
  output_table (demo->cli->out, columns);
  output_rows (demo->cli->out, rows);
  output_end (demo->cli->out);
  return TRUE;
}

/* --- outcomes --------------------------------------------------------------------------------- */

/* Counts outcomes by `type` and `reason`. */
static gboolean
count_outcome (const KafkaMessage *message, gpointer data)
{
  GHashTable *counts = data;
  MessageDecoded decoded = { 0 };
  MessageSource source = { message->value, message->value_len, message->headers, message->n_headers,
                           NULL,           "pruned.outcomes." };
  g_autoptr (GError) error = NULL;
  char *name;
  if (message_decode (&source, &decoded, &error)) {
    const char *reason = json_string_value (json_object_get (decoded.content, "reason"));
    name
        = g_strdup_printf ("%s\n%s", strrchr (decoded.type, '.') + 1, reason != NULL ? reason : "");
  } else
    name = g_strdup_printf ("(not readable)\n%s", error->message);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name));
  g_hash_table_insert (counts, name, GUINT_TO_POINTER (n + 1));
  message_decoded_clear (&decoded);
  return TRUE;
}

static gboolean
show_outcomes (Demo *demo, GError **error)
{
  const char *settings[] = { "bootstrap.servers", demo->bootstrap, NULL };
  g_autofree char *topic = g_strconcat (demo->prefix, ".outcomes", NULL);
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!kafka_read_topic (settings, topic, -1, READ_MS,
                         &(KafkaVisitor){ .visit = count_outcome, .data = counts }, error))
    return FALSE;
  g_autofree char *title = g_strdup_printf ("Announced on %s", topic);
  demo_title (demo, title);
  output_table (demo->cli->out, OUTCOMES);
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (counts), (GCompareFunc)strcmp);
  for (GList *name = names; name != NULL; name = name->next) {
    g_auto (GStrv) parts = g_strsplit (name->data, "\n", 2);
    output_row (demo->cli->out, json_string (parts[0]),
                *parts[1] != '\0' ? json_string (parts[1]) : NULL,
                json_integer (GPOINTER_TO_UINT (g_hash_table_lookup (counts, name->data))));
  }
  output_end (demo->cli->out);
  return TRUE;
}

/* Shows the row of one run. */
static gboolean
show_run (Demo *demo, GError **error)
{
  g_autoptr (PgRows) run = demo_ask (demo, "src/cli/demo/sql/longest.sql", error);
  if (run == NULL)
    return FALSE;
  demo_title (demo, "The run that changed the most rows");
  return rows_count (run) == 0
         || demo_type (demo, error, "runs", rows_text (run, 0, "run_id"), NULL);
}

gboolean
demo_show (Demo *demo, GError **error)
{
  if (!show_counts (demo, error)
      || !show_rows (demo, "By job", RUNS, "src/cli/demo/sql/runs.sql", error)
      || !show_rows (demo, "Kept, and why", KEPT, "src/cli/demo/sql/kept.sql", error)
      || !show_rows (demo, "Quarantined, and why", QUARANTINED, "src/cli/demo/sql/quarantined.sql",
                     error)
      || !show_outcomes (demo, error) || !show_run (demo, error))
    return FALSE;
  output_say (demo->cli->out, "\nIt took %.1f s.",
              (double)(clock_monotonic_us () - demo->began_us) / 1e6);
  return TRUE;
}
