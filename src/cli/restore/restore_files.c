/* Rows that a file of an archive has. Where the audit has them, too, they come back from there, and
 * the file is compared with it; where it has keys only (`audit = keys`), they come from the file.
 */
#include "cli/restore/restore.h"

#include "base/gzip.h"
#include "base/json.h"
#include "base/log.h"
#include "store/place.h"

#include <string.h>

#define SQL "src/cli/restore/sql/"
#define MOST_BYTES ((gsize)1024 * 1024 * 1024)

static GPtrArray *
lines_of (const GString *text)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  for (const char *at = text->str, *end; (end = strchr (at, '\n')) != NULL; at = end + 1)
    g_ptr_array_add (lines, g_strndup (at, (gsize)(end - at)));
  return lines;
}

/* Line N of PATH is at fault, for WHY. */
static char *
fault_of (const char *path, guint n, const char *why)
{
  return g_strdup_printf ("%s: line %u: %s", path, n, why);
}

/* The first of LINES that is no row; NULL: all are. */
static char *
unfit_of (const char *path, const GPtrArray *lines)
{
  for (guint i = 0; i < lines->len; i++) {
    const char *line = lines->pdata[i];
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) value = json_parse_exact (line, strlen (line), &error);
    if (value == NULL)
      return fault_of (path, i + 1, error->message);
    if (!json_is_plain_object (value) || json_object_get (value, "row") == NULL)
      return fault_of (path, i + 1, "it is no row");
  }
  return NULL;
}

/* The lines of the file of STEP; NULL: it cannot be read, and its `why` says why not. */
static GPtrArray *
read_lines (const Restore *restore, RestoreStep *step, gboolean *fits)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GBytes) packed = place_read (restore->cli->config, step->path, &error);
  if (packed == NULL) {
    step->why = g_strdup (error->message);
    return NULL;
  }
  const gboolean whole = gzip_unpack (packed, MOST_BYTES, text, &error);
  g_autoptr (GPtrArray) lines = lines_of (text);
  *fits = whole && place_fits (step->path, text);
  if (!whole)
    step->why = fault_of (step->path, lines->len + 1, error->message);
  else if (!*fits)
    step->why = unfit_of (step->path, lines);
  return step->why == NULL ? g_steal_pointer (&lines) : NULL;
}

/* COLUMN of the rows FROM to TO, as a member `COLUMNs` of JSON. */
static void
append_array (GString *out, const PgRows *rows, int from, int to, const char *column)
{
  g_string_append_printf (out, "\"%ss\":[", column);
  for (int i = from; i < to; i++)
    g_string_append_printf (out, "%s%s", i > from ? "," : "", rows_text (rows, i, column));
  g_string_append_c (out, ']');
}

/* The rows of each record with their keys, as an object of JSON by its place. */
static char *
rows_of_records (const PgRows *rows)
{
  g_autoptr (GString) out = g_string_new ("{");
  for (int from = 0, to; from < rows_count (rows); from = to) {
    const char *place = rows_text (rows, from, "place");
    for (to = from; to < rows_count (rows) && g_str_equal (rows_text (rows, to, "place"), place);)
      to++;
    g_string_append_printf (out, "%s\"%s\":{", from > 0 ? "," : "", place);
    append_array (out, rows, from, to, "row");
    g_string_append_c (out, ',');
    append_array (out, rows, from, to, "key");
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, '}');
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* What the lines have of the records. The first that differs is named, unless they are those that
 * were written (FITS): then triggers of rows below have changed the row since, in its removal. */
static void
compare (RestoreStep *step, const PgRows *rows, gboolean fits)
{
  gboolean bare = FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *row = rows_text (rows, i, "row"), *differs = rows_text (rows, i, "differs");
    bare = bare || rows_bool (rows, i, "bare");
    if (step->why != NULL)
      continue;
    if (row == NULL)
      step->why = g_strdup_printf ("%s: no line of it is about %s", step->path,
                                   rows_text (rows, i, "recorded"));
    else if (differs != NULL && !fits) {
      g_autofree char *why = g_strdup_printf ("%s is not as the audit has it", differs);
      step->why = fault_of (step->path, (guint)rows_int (rows, i, "line"), why);
    }
  }
  if (step->why == NULL && !fits)
    step->why = g_strdup_printf ("%s: it has been changed since it was written", step->path);
  if (bare && step->why == NULL)
    step->archived = rows_of_records (rows);
}

static gboolean
compare_lines (Restore *restore, RestoreStep *step, const GPtrArray *lines, gboolean fits,
               GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", step->run_id);
  pg_values_set (values, "step", step->step);
  pg_values_set (values, "path", step->path);
  pg_values_take (values, "lines", array_of_texts (lines));
  g_autoptr (PgRows) rows = pg_begin_read_only (restore->pg, error)
                                ? pg_run_file (restore->pg, SQL "archived.sql", values, error)
                                : NULL;
  pg_rollback (restore->pg);
  if (rows == NULL)
    return FALSE;
  compare (step, rows, fits);
  return TRUE;
}

gboolean
restore_read_file (Restore *restore, RestoreStep *step, GError **error)
{
  gboolean fits = FALSE;
  if (step->path == NULL || step->why != NULL || step->archived != NULL)
    return TRUE;
  g_autoptr (GPtrArray) lines = read_lines (restore, step, &fits);
  if (lines != NULL && !compare_lines (restore, step, lines, fits, error))
    return FALSE;
  if (step->why != NULL) {
    restore->damaged++;
    log_warning ("A file of the archive is damaged or missing", "run_id", step->run_id, "step",
                 step->step, "error", step->why);
  }
  return TRUE;
}
