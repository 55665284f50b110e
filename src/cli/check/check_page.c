/* The page of a job, read once: its columns, its order, and whether its cursor advances. */
#include "cli/check/check.h"

#include "base/clock.h"
#include "base/uuid5.h"
#include "engine/job/in_force.h"
#include "engine/step/page_keys.h"
#include "engine/step/decide.h"

#define FAILS_FOR_NONE "CASE WHEN code ~ '^[0-9]{1,9}$' THEN code::int > 5 END"
#define TEXTS "text", "varchar", "citext", "name", NULL /* their order depends on the collation */

Run *
check_run (const Job *job)
{
  Run *run = g_new0 (Run, 1);
  run->run_id = g_strdup (PRUNED_UUID_NAMESPACE);
  run->job = job;
  run->scheduled_at_us = run->due_at_us = run->now_us = clock_now_us ();
  run->args = json_object ();
  return run;
}

static gboolean
is_text (const JobCursor *column)
{
  static const char *const texts[] = { TEXTS };
  return g_strv_contains (texts, column->type);
}

/* Whether the cursor at C comes behind that at P, from its column I on. Of NULL and a value it is
 * not known which one the job puts first, as in a run (guard.h). */
static void
add_order (GString *sql, const GArray *cursor, guint i)
{
  const JobCursor *column = &g_array_index (cursor, JobCursor, i);
  const char *before = is_text (column) ? "<>" : column->descending ? ">" : "<";
  g_string_append_printf (sql, "CASE WHEN w.p%u IS NOT DISTINCT FROM w.c%u THEN ", i, i);
  if (i + 1 < cursor->len)
    add_order (sql, cursor, i + 1);
  else
    g_string_append (sql, "false");
  g_string_append_printf (sql,
                          " WHEN w.p%u IS NULL OR w.c%u IS NULL THEN true ELSE w.p%u %s w.c%u END",
                          i, i, i, before, i);
}

/* Returns the first row, from 2, that does not come behind the one before it. */
static char *
order_sql (const GArray *cursor)
{
  g_autoptr (GString) names = g_string_new (NULL), arrays = g_string_new (NULL),
                      typed = g_string_new (NULL), lags = g_string_new (NULL),
                      order = g_string_new (NULL);
  for (guint i = 0; i < cursor->len; i++) {
    const char *comma = i > 0 ? ", " : "";
    g_string_append_printf (arrays, "%spg_catalog.unnest(:c%u::text[])", comma, i);
    g_string_append_printf (names, "%sc%u", comma, i);
    g_string_append_printf (typed, "%st.c%u::%s AS c%u", comma, i,
                            g_array_index (cursor, JobCursor, i).type, i);
    g_string_append_printf (lags, ", lag(u.c%u) OVER o AS p%u", i, i);
  }
  add_order (order, cursor, 0);
  return g_strdup_printf (
      "SELECT w.at FROM (SELECT u.*%s FROM ROWS FROM (%s) WITH ORDINALITY AS t (%s, at),"
      " LATERAL (SELECT %s, t.at) AS u WINDOW o AS (ORDER BY u.at)) AS w"
      " WHERE w.at > 1 AND NOT (%s) ORDER BY w.at LIMIT 1",
      lags->str, arrays->str, names->str, typed->str, order->str);
}

/* Adds the cursors of ROWS to COLUMNS (of GString). FALSE: one has NULL where none is declared,
 * which is a finding. */
static gboolean
add_cursors (Check *check, const PgRows *rows, GPtrArray *columns, CheckPlace place)
{
  const GArray *cursor = check->job->cursor;
  for (int row = 0; row < rows_count (rows); row++)
    for (guint i = 0; i < cursor->len; i++) {
      const JobCursor *column = &g_array_index (cursor, JobCursor, i);
      const char *text = rows_text (rows, row, column->name);
      if (text == NULL && !column->open) {
        check_error (check, CODE_CONFIG, "page", place, NULL,
                     "the cursor's column %s is NULL in row %d: rows behind it would be skipped",
                     column->name, row + 1);
        return FALSE;
      }
      array_add (columns->pdata[i], text);
    }
  return TRUE;
}

PgRows *
check_page_rows (Check *check, Step *step, int limit, GError **error)
{
  g_autoptr (PgValues) values = page_values (step, limit);
  g_autoptr (PgRows) rows = pg_run (check->pg, step->job->page, values, error);
  return rows != NULL && guard_page_columns (step->job, rows, error) ? g_steal_pointer (&rows)
                                                                     : NULL;
}

static gboolean
check_rows_order (Check *check, GPtrArray *columns, CheckPlace place, GError **error)
{
  const GArray *cursor = check->job->cursor;
  g_autofree char *sql = order_sql (cursor);
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint i = 0; i < cursor->len; i++) {
    g_autofree char *name = g_strdup_printf ("c%u", i);
    pg_values_take (values, name, array_take (columns->pdata[i]));
    columns->pdata[i] = NULL;
  }
  const PgStatement *statement = pg_statement_text (sql, sql, error);
  g_autoptr (PgRows) rows = statement != NULL ? pg_run (check->pg, statement, values, error) : NULL;
  if (rows == NULL)
    return FALSE;
  if (rows_count (rows) > 0)
    check_error (
        check, CODE_CONFIG, "page", place, NULL,
        "row %s does not come behind the row before it: ORDER BY must be the cursor, and the cursor unique",
        rows_text (rows, 0, "at"));
  return TRUE;
}

static gboolean
is_same_row (const Job *job, const PgRows *a, int row, const PgRows *b, int other)
{
  gboolean same = g_strcmp0 (rows_text (a, row, "key"), rows_text (b, other, "key")) == 0;
  for (guint i = 0; same && i < job->cursor->len; i++) {
    const char *column = g_array_index (job->cursor, JobCursor, i).name;
    same = g_strcmp0 (rows_text (a, row, column), rows_text (b, other, column)) == 0;
  }
  return same;
}

static const char *
key_at (const PgRows *rows, int row)
{
  const char *key = rows_count (rows) > row ? rows_text (rows, row, "key") : "no row";
  return key != NULL ? key : "no key";
}

/* What follows the first of ROWS is the second one, whatever the cursor's types and collations. */
static gboolean
check_next (Check *check, Step *step, const PgRows *rows, CheckPlace place, GError **error)
{
  if (check->job->sentence != NULL || rows_count (rows) < 2)
    return TRUE;
  json_t *behind = step->run->cursor;
  step->run->cursor = page_cursor_at (step->run, rows, 0);
  g_autoptr (PgRows) next = check_page_rows (check, step, rows_count (rows) - 1, error);
  json_decref (step->run->cursor);
  step->run->cursor = behind;
  if (next == NULL)
    return FALSE;
  if (rows_count (next) == 0 || !is_same_row (check->job, rows, 1, next, 0))
    check_error (
        check, CODE_CONFIG, "page", place, NULL,
        "asked for what follows its first row (%s), it returns %s instead of its second one "
        "(%s): ORDER BY must be the cursor, and the cursor unique",
        key_at (rows, 0), key_at (next, 0), key_at (rows, 1));
  return TRUE;
}

/* What is asked, for the finding if it has no answer. */
typedef struct {
  const char *name;
  CheckPlace place;
} Asked;

static CheckPlace
place_of (Check *check, const char *file)
{
  if (check->job->sentence != NULL)
    return check_place (check);
  char *path = g_build_filename (check->job->folder, file, NULL);
  g_ptr_array_add (check->texts, path);
  return (CheckPlace){ path, 0 };
}

/* The keys of the page are decided, as a plan does it, and what is returned is held to the rules of
 * a run (guard.h). */
static gboolean
check_decide (Check *check, Step *step, const Page *page, Asked *asked, GError **error)
{
  if (page->keys->len == 0)
    return TRUE;
  const Asked before = *asked;
  *asked = (Asked){ "decide", place_of (check, "decide.sql") };
  g_autoptr (PgRows) decided = decide_keys (step, page->keys, "{}", NULL, error);
  if (decided != NULL)
    *asked = before;
  return decided != NULL;
}

static void
columns_free (GPtrArray *columns)
{
  for (guint i = 0; i < columns->len; i++)
    if (columns->pdata[i] != NULL)
      g_string_free (columns->pdata[i], TRUE);
  g_ptr_array_unref (columns);
}

/* The keys that a run's first page has, of LIMIT rows. */
static void
note_keys (Check *check, const Page *page, int limit)
{
  GString *keys = array_new ();
  check->n_keys = MIN (page->keys->len, (guint)limit);
  for (guint i = 0; i < check->n_keys; i++)
    array_add (keys, page->keys->pdata[i]);
  g_free (check->keys);
  check->keys = array_take (keys);
}

/* What the two pages have shown. */
typedef struct {
  int rows; /* of both */
  CheckCursor *cursor;
} Seen;

static gboolean
read_pages (Check *check, Step *step, Asked *asked, Seen *seen, GError **error)
{
  const CheckPlace place = asked->place;
  const int limit = MAX (1, in_force_of (check->job)->batch);
  GPtrArray *columns = g_ptr_array_new ();
  for (guint i = 0; i < check->job->cursor->len; i++)
    g_ptr_array_add (columns, array_new ());
  Page page = { 0 };
  g_autoptr (PgRows) rows = check_page_rows (check, step, limit, error), next = NULL;
  gboolean ok = rows != NULL, whole = ok && add_cursors (check, rows, columns, place);
  if (whole) {
    page_read (step->run, rows, rows_count (rows), &page); /* the next page follows all of them */
    note_keys (check, &page, limit);
    seen->cursor = check_cursor_of (check->job, rows);
    step->run->cursor = page.cursor != NULL ? json_incref (page.cursor) : NULL;
    ok = check_decide (check, step, &page, asked, error);
    next = ok ? check_page_rows (check, step, limit, error) : NULL;
    ok = next != NULL;
    whole = ok && add_cursors (check, next, columns, place);
    seen->rows = rows_count (rows) + (next != NULL ? rows_count (next) : 0);
  }
  const guint before = check_errors (check);
  ok = ok && (!whole || columns->len == 0 || check_rows_order (check, columns, place, error));
  if (ok && whole && columns->len > 0 && check_errors (check) == before)
    ok = check_next (check, step, rows, place, error);
  columns_free (columns);
  page_clear (&page);
  return ok;
}

/* A value of a row, not the statement, is at fault. */
static gboolean
fails_for_row (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  return sentence != NULL && sentence->where != NULL
         && g_str_has_prefix (pg_sqlstate (check->pg), "22");
}

/* The job whose page is read. Where events name the rows no run searches for them, so there may be
 * no index for the condition: rows are taken as the table has them. */
static const Job *
read_of (const Job *job)
{
  const Job *all = job_form (job, FORM_ALL);
  return all != NULL && job_only_names_rows (job) ? all : job;
}

static void
say_well (Check *check, const Seen *seen)
{
  if (job_only_names_rows (check->job))
    check_ok (check, "page",
              "no run searches for rows: events name them (on), and it takes no ticks");
  else
    check_ok (check, "page",
              seen->rows > 1
                  ? "it returns the key and the cursor, in the cursor's order"
                  : "it returns the key and the cursor; too few rows to see their order");
}

void
check_page (Check *check)
{
  const Job *job = read_of (check->job);
  if (job->page == NULL)
    return;
  Asked asked = { "page", place_of (check, "page.sql") };
  guint before = check_errors (check);
  Seen seen = { 0, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (Run) run = check_run (job);
  g_autoptr (Step) step = step_new_plan (check->pg, run);
  const gboolean answered
      = pg_begin_read_only (check->pg, &error)
        && pg_exec_later (check->pg, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", &error)
        && read_pages (check, step, &asked, &seen, &error);
  const ExitCode code = answered ? CODE_OK : check_code (check, error);
  const gboolean of_row = !answered && fails_for_row (check);
  pg_rollback (check->pg);
  if (of_row)
    check_error (check, code, asked.name, check_place_of_key (check, "where"), NULL,
                 "where: for some row it fails: %s. %s. Write a condition that fails for none: %s",
                 error->message,
                 job_form_next (check->job) != NULL ? "A run leaves such a row out (failed)"
                                                    : "Then a run removes no row at all",
                 FAILS_FOR_NONE);
  else if (!answered) {
    const char *name = check_name (check, asked.name), *remedy = check_remedy (check, code, error);
    check_error (check, code, name, asked.place, remedy, "%s", error->message);
  }
  if (check_errors (check) == before)
    say_well (check, &seen);
  if (seen.cursor != NULL)
    check_cursor (check, seen.cursor, asked.place);
}
