#include "cli/runs/run_page.h"

#include "cli/runs/run_row.h"
#include "cli/runs/runs_table.h"
#include "engine/work/divide.h"

#define SQL "src/cli/runs/sql/"
#define SHARED_SQL "src/cli/sql/"

static const Column PARENT[] = { { "run_id" }, { "job" }, { "state" }, { NULL } };
static const Column VALUES[] = { { "value" }, { "rows", CELL_NUMBER }, { NULL } };
static const Column STEPS[] = { { "range", CELL_NUMBER },
                                { "step", CELL_NUMBER },
                                { "at", CELL_TIME },
                                { "rows", CELL_NUMBER },
                                { "took_ms", CELL_NUMBER },
                                { "tables" },
                                { NULL } };
static const Column TABLES[] = { { "table" }, { "action" }, { "rows", CELL_NUMBER }, { NULL } };
static const Column CHILDREN[] = { { "job" }, { "state" }, { "runs", CELL_NUMBER }, { NULL } };
static const Column QUARANTINED[]
    = { { "item" }, { "attempts", CELL_NUMBER }, { "parked", CELL_BOOL }, { "reason" }, { NULL } };
static const Column ACTIONS[] = { { "at", CELL_TIME }, { "role" },   { "os_user" }, { "host" },
                                  { "command" },       { "object" }, { "reason" },  { NULL } };

enum { OF_PARENT, OF_VALUES, OF_STEPS, OF_TABLES, OF_CHILDREN, OF_QUARANTINED, OF_ACTIONS, PARTS };
static const struct {
  const char *name, *file;
  const Column *columns;
} PART[PARTS] = { { "parent", SQL "run_parent.sql", PARENT },
                  { "values", SQL "run_values.sql", VALUES },
                  { "steps", SQL "run_steps.sql", STEPS },
                  { "tables", SQL "run_tables.sql", TABLES },
                  { "children", SQL "run_children.sql", CHILDREN },
                  { "quarantined", SQL "run_quarantined.sql", QUARANTINED },
                  { "actions", SQL "run_actions.sql", ACTIONS } };

typedef struct {
  PgRows *rows[PARTS];
  gboolean stopped, paused;
  char *lost; /* why nothing of what the run removed can be put back; NULL: some of it can */
} Page;

static void
page_clear (Page *page)
{
  for (guint i = 0; i < PARTS; i++)
    g_clear_pointer (&page->rows[i], rows_free);
  g_free (page->lost);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, page_clear)

/* JOB: NULL, it is not known. */
static gboolean
look_for_lost (Pg *pg, const Job *job, const PgValues *values, Page *page, GError **error)
{
  if (job != NULL && job->final != NULL) {
    page->lost = g_strdup (job->final);
    return TRUE;
  }
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "run_lost.sql", values, error);
  if (rows != NULL && rows_count (rows) > 0)
    page->lost = g_strdup (rows_text (rows, 0, "why"));
  return rows != NULL;
}

static gboolean
look (Pg *pg, const Job *job, const PgRows *run, Page *page, GError **error)
{
  static const char *const given[]
      = { "run_id", "parent_id", "job", "scheduled_at", "started_at", "finished_at" };
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    pg_values_set (values, given[i], rows_text (run, 0, given[i]));
  pg_values_int (values, "range_steps", RANGE_STEPS);
  gboolean ok = pg_begin_read_only (pg, error);
  for (guint i = 0; ok && i < PARTS; i++)
    ok = (page->rows[i] = pg_run_file (pg, PART[i].file, values, error)) != NULL;
  ok = ok && look_for_lost (pg, job, values, page, error);
  g_autoptr (PgRows) paused
      = ok ? pg_run_file (pg, SHARED_SQL "is_paused.sql", values, error) : NULL;
  g_autoptr (PgRows) stop
      = paused != NULL ? pg_run_file (pg, SHARED_SQL "stop_look.sql", NULL, error) : NULL;
  pg_rollback (pg);
  page->paused = paused != NULL && rows_count (paused) > 0;
  page->stopped = stop != NULL && rows_count (stop) > 0;
  return stop != NULL;
}

/* --- what comes next -------------------------------------------------------------------------- */

static void suggest (GPtrArray *next, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
suggest (GPtrArray *next, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_ptr_array_add (next, g_strdup_vprintf (format, list));
  va_end (list);
}

static void
suggest_about_children (GPtrArray *next, const PgRows *children)
{
  for (int i = 0; i < rows_count (children); i++)
    if (g_str_equal (rows_text (children, i, "state"), "dead"))
      suggest (next, "pruned runs --job %s --state dead", rows_text (children, i, "job"));
}

/* Not for quiet hours, nor for the server: no command changes these. */
static gboolean
waits_for_a_retry (const PgRows *run)
{
  const char *error = rows_text (run, 0, "error");
  return g_str_equal (rows_text (run, 0, "state"), "waiting") && error != NULL
         && !g_str_has_prefix (error, "quiet hours") && !g_str_has_prefix (error, "throttled");
}

/* The run has ended, and there is something that a restore could put back. */
static gboolean
has_removed (const PgRows *run, const Page *page)
{
  return run_has_ended (rows_text (run, 0, "state")) && rows_count (page->rows[OF_TABLES]) > 0;
}

static GPtrArray *
next_of (const PgRows *run, const Page *page)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (g_free);
  const char *id = rows_text (run, 0, "run_id"), *state = rows_text (run, 0, "state");
  gboolean blocked = g_strcmp0 (rows_text (run, 0, "status"), "blocked") == 0;
  const gboolean is_halted = page->stopped || page->paused;
  gboolean ended = g_str_equal (state, "finished") || g_str_equal (state, "skipped");
  if (g_str_equal (state, "held") && !blocked)
    suggest (next, "pruned approve %s", id);
  if (!ended && page->stopped)
    suggest (next, "pruned go");
  if (!ended && page->paused)
    suggest (next, "pruned resume %s", rows_text (run, 0, "job"));
  if (g_str_equal (state, "dead") || blocked || (!is_halted && waits_for_a_retry (run)))
    suggest (next, "pruned retry %s", id);
  if (!ended)
    suggest (next, "pruned discard %s", id);
  if (has_removed (run, page) && page->lost == NULL)
    suggest (next, "pruned restore %s%s --dry-run", id,
             rows_count (page->rows[OF_CHILDREN]) > 0 ? " --with-children" : "");
  if (rows_count (page->rows[OF_QUARANTINED]) > 0)
    suggest (next, "pruned quarantine retry %s", rows_text (run, 0, "job"));
  suggest_about_children (next, page->rows[OF_CHILDREN]);
  return next;
}

/* --- output ----------------------------------------------------------------------------------- */

static json_t *
objects_of (const Column *columns, const PgRows *rows)
{
  json_t *objects = json_array ();
  for (int i = 0; i < rows_count (rows); i++) {
    json_t *object = json_object ();
    for (const Column *column = columns; column->name != NULL; column++)
      json_object_set_new (object, column->name,
                           cell_from_text (column->type, rows_text (rows, i, column->name)));
    json_array_append_new (objects, object);
  }
  return objects;
}

static void
put_objects (Output *out, const PgRows *run, const Page *page, const GPtrArray *next)
{
  for (guint i = 0; i < PARTS; i++) {
    g_autoptr (json_t) part = json_object ();
    json_object_set_new (part, PART[i].name, objects_of (PART[i].columns, page->rows[i]));
    output_object (out, part);
  }
  g_autoptr (json_t) last = json_pack ("{s:[]}", "next");
  for (guint i = 0; i < next->len; i++)
    json_array_append_new (json_object_get (last, "next"), json_string (next->pdata[i]));
  if (has_removed (run, page) && page->lost != NULL)
    json_object_set_new (last, "no_restore", json_string (page->lost));
  output_object (out, last);
}

/* `held: 30 rows are above max_rows 20` says its state itself. */
static void
say_result (Output *out, const PgRows *run)
{
  const char *state = rows_text (run, 0, "state");
  g_autofree char *words = runs_table_result (run, 0), *says = g_strconcat (state, ": ", NULL);
  if (words == NULL)
    words = g_strdup ("nothing was done");
  output_say (out, "%s", "");
  output_line (out, "%s %s%s", rows_text (run, 0, "job"),
               g_str_has_prefix (words, says) ? "" : says, words);
}

/* A run that was not divided has steps without a range. */
static const Column *
shown_columns (guint part, const PgRows *rows)
{
  gboolean plain = part == OF_STEPS;
  for (int i = 0; plain && i < rows_count (rows); i++)
    plain = rows_text (rows, i, "range") == NULL;
  return PART[part].columns + (plain ? 1 : 0);
}

static void
say_parts (Output *out, const PgRows *run, const Page *page, const GPtrArray *next)
{
  for (guint i = 0; i < PARTS; i++) {
    if (rows_count (page->rows[i]) == 0)
      continue;
    output_say (out, "\n%s", PART[i].name);
    output_table (out, shown_columns (i, page->rows[i]));
    output_rows (out, page->rows[i]);
    output_end (out);
  }
  if (has_removed (run, page) && page->lost != NULL)
    output_line (out, "\nnothing of it can be restored: %s", page->lost);
  if (next->len > 0)
    output_say (out, "\nnext");
  for (guint i = 0; i < next->len; i++)
    output_say (out, "%s", (char *)next->pdata[i]);
}

ExitCode
run_page_show (Cli *cli, Pg *pg, const PgRows *rows, GError **error)
{
  g_auto (Page) page = { 0 };
  const Job *job = jobs_find_loaded (cli->jobs, rows_text (rows, 0, "job"));
  if (!look (pg, job, rows, &page, error))
    return cli_pg_failed (pg, error);
  g_autoptr (GPtrArray) next = next_of (rows, &page);
  run_row_show (cli->out, rows);
  if (output_is_json (cli->out)) {
    put_objects (cli->out, rows, &page, next);
    return CODE_OK;
  }
  say_result (cli->out, rows);
  say_parts (cli->out, rows, &page, next);
  return CODE_OK;
}
