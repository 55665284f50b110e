/* The keys of a page are tried as a whole under a savepoint. If a row is at fault, halves are tried (always rolled back) until
 * the bad keys are known, then the page is applied once without them. What a trial found out is recorded in the Step
 * only when it stays.
 */
#include "base/clock.h"
#include "base/fault.h"
#include "engine/page.h"

#include <string.h>

#define SQL "src/engine/sql/"
#define TRANSACTION_BUDGET_US (18 * G_USEC_PER_SEC) /* no transaction is longer than 20 s */
#define SYSTEMIC_TRIES 3
#define REFUSED "refused: the statement did not change the row (a trigger or a rule keeps it)"

/* One try of a set of keys. */
typedef struct {
  PgRows *decided;
  const char **what; /* per row of decided; "failed" for a refused one */
  PgRows *children;  /* NULL: no children.sql */
} Trial;

typedef struct {
  GPtrArray *names, *texts; /* further parameters of a job in C */
} Extra;

static void
trial_clear (Trial *trial)
{
  g_clear_pointer (&trial->decided, rows_free);
  g_clear_pointer (&trial->children, rows_free);
  g_clear_pointer (&trial->what, g_free);
}

static char *
literal (const GPtrArray *keys)
{
  GString *array = array_new ();
  for (guint i = 0; i < keys->len; i++)
    array_add (array, keys->pdata[i]);
  return array_take (array);
}

static PgValues *
values_with (Step *step, const PgStatement *statement, const Extra *extra)
{
  PgValues *values = pg_values_new ();
  step_bind (step, statement, values);
  for (guint i = 0; extra != NULL && i < extra->names->len; i++)
    pg_values_set (values, extra->names->pdata[i], extra->texts->pdata[i]);
  return values;
}

/* Columns of decide that STATEMENT wants, as arrays of the rows in WHICH. */
static PgValues *
values_of_rows (Step *step, const PgStatement *statement, const Trial *trial, const GArray *which, const Extra *extra)
{
  PgValues *values = values_with (step, statement, extra);
  const int *rows = (const int *)(gpointer)which->data;
  for (int column = 0; column < rows_columns (trial->decided); column++)
    {
      const char *name = rows_name (trial->decided, column);
      if (pg_statement_wants (statement, name) && !g_str_equal (name, "what"))
        pg_values_take (values, name, rows_array_of (trial->decided, column, rows, which->len));
    }
  if (pg_statement_wants (statement, "what"))
    {
      GString *what = array_new ();
      for (guint i = 0; i < which->len; i++)
        array_add (what, trial->what[rows[i]]);
      pg_values_take (values, "what", array_take (what));
    }
  if (pg_statement_wants (statement, "index"))
    pg_values_int (values, "index", json_integer_value (json_object_get (step->run->cursor, "index")));
  if (pg_statement_wants (statement, "began_at"))
    {
      const char *began = json_string_value (json_object_get (step->run->cursor, "began_at"));
      pg_values_take (values, "began_at", began != NULL ? g_strdup (began) : clock_format (step->run->now_us));
    }
  return values;
}

static const PgStatement *
decide_statement (const Job *job)
{
  return job->decide != NULL ? job->decide : pg_statement (SQL "decide_all.sql");
}

static PgValues *
decide_values (Step *step, const char *keys, const char *gone, const Extra *extra)
{
  PgValues *values = values_with (step, decide_statement (step->job), extra);
  pg_values_set (values, "key", keys);
  pg_values_set (values, "gone", gone);
  return values;
}

PgRows *
page_decide (Step *step, const char *keys, const char *gone, GError **error)
{
  g_autoptr (PgValues) values = decide_values (step, keys, gone, NULL);
  return pg_run (step->pg, decide_statement (step->job), values, error);
}

/* Locks and decision in one pipeline: each statement sees the world after the waits of the earlier ones. */
static gboolean
lock_and_decide (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial, GError **error)
{
  g_autofree char *key = literal (keys);
  const Job *job = step->job;
  for (guint i = 0; i < job->locks->len; i++)
    {
      g_autoptr (PgValues) values = values_with (step, job->locks->pdata[i], extra);
      pg_values_set (values, "key", key);
      if (!pg_queue (step->pg, job->locks->pdata[i], values, error))
        return FALSE;
    }
  g_autoptr (PgValues) values = decide_values (step, key, "{}", extra);
  if (!pg_queue (step->pg, decide_statement (job), values, error) || !pg_flush (step->pg, error))
    return FALSE;
  for (guint i = 0; i < job->locks->len; i++)
    {
      g_autoptr (PgRows) locked = pg_next (step->pg, error);
      if (locked == NULL)
        return FALSE;
    }
  trial->decided = pg_next (step->pg, error);
  if (trial->decided == NULL || !pg_finish (step->pg, error))
    return FALSE;
  int n = rows_count (trial->decided);
  trial->what = g_new0 (const char *, n + 1);
  for (int i = 0; i < n; i++)
    trial->what[i] = rows_text (trial->decided, i, "what");
  return TRUE;
}

static GArray *
rows_decided (const Trial *trial, const char *word)
{
  GArray *which = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (word == NULL ? !g_str_equal (trial->what[i], "failed") : g_str_equal (trial->what[i], word))
      g_array_append_val (which, i);
  return which;
}

/* Rows that the job's own table did not give back are refused; WHICH keeps the others. */
static void
drop_refused (Trial *trial, GArray *which, const PgRows *returned)
{
  g_autoptr (GHashTable) changed = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (returned); i++)
    g_hash_table_add (changed, (gpointer)rows_text (returned, i, "key"));
  for (guint i = 0; i < which->len;)
    {
      int row = g_array_index (which, int, i);
      if (g_hash_table_contains (changed, rows_text (trial->decided, row, "key")))
        i++;
      else
        {
          trial->what[row] = "failed";
          g_array_remove_index (which, i);
        }
    }
}

static gboolean
queue_rows (Step *step, const PgStatement *statement, const Trial *trial, const GArray *which, const Extra *extra, GError **error)
{
  g_autoptr (PgValues) values = values_of_rows (step, statement, trial, which, extra);
  return pg_queue (step->pg, statement, values, error);
}

/* The job's own table first, then in one pipeline what follows for those rows that it gave back. */
static gboolean
apply_what (Step *step, const JobWhat *what, Trial *trial, const Extra *extra, GError **error)
{
  g_autoptr (GArray) which = rows_decided (trial, what->word);
  if (which->len == 0 || what->apply->len == 0)
    return TRUE;
  const JobApply *first = &g_array_index (what->apply, JobApply, 0);
  g_autoptr (PgValues) values = values_of_rows (step, first->statement, trial, which, extra);
  g_autoptr (PgRows) returned = pg_run (step->pg, first->statement, values, error);
  if (returned == NULL)
    return FALSE;
  drop_refused (trial, which, returned);
  if (which->len == 0 || what->apply->len == 1)
    return TRUE;
  for (guint i = 1; i < what->apply->len; i++)
    if (!queue_rows (step, g_array_index (what->apply, JobApply, i).statement, trial, which, extra, error))
      return FALSE;
  return pg_flush (step->pg, error) && pg_finish (step->pg, error);
}

static gboolean
try_keys (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial, GError **error)
{
  const Job *job = step->job;
  if (!lock_and_decide (step, keys, extra, trial, error))
    return FALSE;
  for (guint i = 0; i < job->whats->len; i++)
    if (!apply_what (step, job->whats->pdata[i], trial, extra, error))
      return FALSE;
  FAULT ("step.after_effects");
  if (job->children != NULL)
    {
      g_autoptr (GArray) which = rows_decided (trial, NULL);
      g_autoptr (PgValues) values = values_of_rows (step, job->children, trial, which, extra);
      if ((trial->children = pg_run (step->pg, job->children, values, error)) == NULL)
        return FALSE;
    }
  return pg_exec (step->pg, "SET CONSTRAINTS ALL IMMEDIATE", error);
}

/* TRUE: the keys went through (KEEP: and stay). FALSE without an error: a row is at fault, *REASON says which words it got. */
static gboolean
try_under_savepoint (Step *step, const GPtrArray *keys, const Extra *extra, gboolean keep, Trial *trial, char **reason,
                     GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (!pg_exec (step->pg, "SAVEPOINT page", error))
    return FALSE;
  gboolean ok = try_keys (step, keys, extra, trial, &cause);
  if (!ok && cause->code != PRUNED_DATA)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (!ok)
    *reason = g_strdup (cause->message);
  if (!pg_exec (step->pg, ok && keep ? "RELEASE page" : "ROLLBACK TO page", error))
    return FALSE;
  if (!ok || !keep)
    trial_clear (trial);
  return ok;
}

static GPtrArray *
good_keys (const Step *step, const GPtrArray *keys)
{
  GPtrArray *good = g_ptr_array_new ();
  for (guint i = 0; i < keys->len; i++)
    if (!bisect_is_bad (step->bisect, keys->pdata[i]))
      g_ptr_array_add (good, keys->pdata[i]);
  return good;
}

static gboolean
fail_systemic (Step *step, const char *reason, GError **error)
{
  step->systemic = TRUE;
  return step_fail (step, error, PRUNED_RETRY, "systemic: more than half of the page (%u rows) fails alike: %s",
                    step->bisect->page, reason);
}

/* Finds the bad keys. FALSE: an error is set; `again` asks for another transaction. */
static gboolean
bisect_keys (Step *step, const Extra *extra, GError **error)
{
  gboolean last_try = json_integer_value (json_object_get (step->run->cursor, "systemic")) >= SYSTEMIC_TRIES - 1;
  BisectSegment *segment;
  for (int trials = 0; (segment = bisect_next (step->bisect)) != NULL; trials++)
    {
      if (trials == BISECT_TRIALS || step_elapsed_us (step) > TRANSACTION_BUDGET_US)
        {
          g_queue_push_head (&step->bisect->segments, segment);
          step->again = TRUE;
          return step_fail (step, error, PRUNED_BUSY, "bisection goes on");
        }
      Trial trial = { 0 };
      g_autofree char *reason = NULL;
      GError *cause = NULL;
      gboolean ok = try_under_savepoint (step, segment->keys, extra, FALSE, &trial, &reason, &cause);
      if (cause != NULL)
        {
          g_queue_push_head (&step->bisect->segments, segment);
          g_propagate_error (error, cause);
          trial_clear (&trial);
          return FALSE;
        }
      bisect_tried (step->bisect, segment, ok ? NULL : reason, pg_sqlstate (step->pg));
      if (!ok && !last_try && bisect_is_systemic (step->bisect))
        return fail_systemic (step, reason, error);
    }
  return TRUE;
}

/* Applies what is good of KEYS, bisecting on the way. */
static gboolean
apply_good (Step *step, const GPtrArray *keys, const Extra *extra, Trial *trial, GError **error)
{
  for (int round = 0; round < 2; round++)
    {
      if (step->bisect->active && !bisect_keys (step, extra, error))
        return FALSE;
      g_autoptr (GPtrArray) good = good_keys (step, keys);
      g_autofree char *reason = NULL;
      GError *cause = NULL;
      if (try_under_savepoint (step, good, extra, TRUE, trial, &reason, &cause))
        return TRUE;
      if (cause != NULL)
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      if (step->bisect->settled) /* without its bad keys the page fails again */
        {
          step->halve = TRUE;
          return step_fail (step, error, PRUNED_DATA, "%s", reason);
        }
      step->bisect->settled = TRUE;
      bisect_begin (step->bisect, good);
    }
  step->halve = TRUE;
  return step_fail (step, error, PRUNED_DATA, "the page fails although none of its parts does");
}

/* --- quarantine ----------------------------------------------------------------------------------- */

static char *
item_of (const Step *step, const char *key)
{
  return g_strdup_printf ("%s:%s", step->job->table, key);
}

/* Takes keys out that are to be tried later; KNOWN gets those whose time has come. */
static gboolean
pass_over (Step *step, GPtrArray *keys, GHashTable *known, GError **error)
{
  if (step->job->table == NULL)
    return TRUE;
  GString *items = array_new ();
  for (guint i = 0; i < keys->len; i++)
    {
      g_autofree char *item = item_of (step, keys->pdata[i]);
      array_add (items, item);
    }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", step->job->name);
  pg_values_take (values, "item", array_take (items));
  g_autoptr (PgRows) rows = pg_run_file (step->pg, SQL "quarantine_known.sql", values, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) over = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < rows_count (rows); i++)
    {
      char *key = keys->pdata[rows_int (rows, i, "row")];
      if (rows_bool (rows, i, "passed_over"))
        g_hash_table_add (over, key);
      else
        g_hash_table_add (known, g_strdup (key));
    }
  if (g_hash_table_size (over) > 0)
    step_count (step, "passed_over", g_hash_table_size (over));
  for (guint i = keys->len; i-- > 0;)
    if (g_hash_table_contains (over, keys->pdata[i]))
      {
        g_hash_table_remove (over, keys->pdata[i]);
        g_ptr_array_remove_index (keys, i);
      }
  return TRUE;
}

/* --- what is recorded of the try that stays --------------------------------------------------------- */

static json_t *
context_fields (const PgRows *context, const char *key)
{
  json_t *fields = json_object ();
  for (int i = 0; context != NULL && i < rows_count (context); i++)
    {
      if (!g_str_equal (rows_text (context, i, "key"), key))
        continue;
      for (int column = 0; column < rows_columns (context); column++)
        if (!g_str_equal (rows_name (context, column), "key") && rows_at (context, i, column) != NULL)
          json_object_set_new (fields, rows_name (context, column), json_string (rows_at (context, i, column)));
    }
  return fields;
}

static PgRows *
context_of (Step *step, const GPtrArray *keys, GError **error)
{
  g_autoptr (PgValues) values = values_with (step, step->job->context, NULL);
  pg_values_take (values, "key", literal (keys));
  return pg_run (step->pg, step->job->context, values, error);
}

static char *
failed_message (const Step *step, const char *key, const char *reason)
{
  if (step->job->failed_log == NULL)
    return g_strdup_printf ("%s:%s cannot be removed - %s", step->job->table, key, reason);
  g_autofree char *with_key = NULL;
  g_auto (GStrv) parts = g_strsplit (step->job->failed_log, "{key}", -1);
  with_key = g_strjoinv (key, parts);
  g_auto (GStrv) rest = g_strsplit (with_key, "{error}", -1);
  return g_strjoinv (reason, rest);
}

static gboolean
record_failed (Step *step, const GPtrArray *keys, const GPtrArray *reasons, GError **error)
{
  if (keys->len == 0)
    return TRUE;
  step_count (step, "failed", keys->len);
  g_autoptr (PgRows) context = NULL;
  if (step->job->context != NULL && (context = context_of (step, keys, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < keys->len; i++)
    {
      g_autofree char *item = item_of (step, keys->pdata[i]);
      g_autofree char *message = failed_message (step, keys->pdata[i], reasons->pdata[i]);
      step_quarantine (step, item, reasons->pdata[i], step->job->item_attempts);
      json_t *fields = context_fields (context, keys->pdata[i]);
      json_object_set_new (fields, "error", json_string (reasons->pdata[i]));
      step_log (step, LOG_ERROR, message, fields);
    }
  return TRUE;
}

static gboolean
log_rows (Step *step, const JobWhat *what, const Trial *trial, const GArray *which, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint i = 0; i < which->len; i++)
    g_ptr_array_add (keys, (gpointer)rows_text (trial->decided, g_array_index (which, int, i), "key"));
  g_autoptr (PgRows) context = NULL;
  if (step->job->context != NULL && keys->len > 0 && (context = context_of (step, keys, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < which->len; i++)
    {
      int row = g_array_index (which, int, i);
      json_t *fields = context_fields (context, rows_text (trial->decided, row, "key"));
      for (guint f = 0; what->log_fields[f] != NULL; f++)
        {
          const char *text = rows_text (trial->decided, row, what->log_fields[f]);
          if (text != NULL)
            json_object_set_new (fields, what->log_fields[f], json_string (text));
        }
      step_log (step, what->log_level, what->log, fields);
    }
  return TRUE;
}

static gboolean
record_what (Step *step, const char *word, const Trial *trial, GError **error)
{
  const JobWhat *what = job_what (step->job, word);
  g_autoptr (GArray) which = rows_decided (trial, word);
  step_count (step, what != NULL ? what->counter : word, which->len);
  if (what == NULL || which->len == 0)
    return TRUE;
  if (what->counts_as_updated)
    step_count (step, "updated_rows", which->len);
  for (guint i = 0; what->outcome != NULL && i < which->len; i++)
    step_outcome_row (step, what->outcome, trial->decided, g_array_index (which, int, i), what->entity, what->constants);
  return what->log == NULL || log_rows (step, what, trial, which, error);
}

/* `2026-11-21 10:20:30.5+00`, as PostgreSQL writes it in UTC. */
static gint64
time_of (const char *text)
{
  g_autofree char *rfc = g_strdup_printf ("%.*sZ", (int)strcspn (text, "+"), text);
  gint64 us = 0;
  g_autoptr (GError) error = NULL;
  if (strlen (rfc) > 10)
    rfc[10] = 'T';
  if (!clock_parse (rfc, &us, &error))
    g_error ("due_at of a child: %s", error->message);
  return us;
}

static void
record_children (Step *step, const PgRows *children)
{
  for (int i = 0; children != NULL && i < rows_count (children); i++)
    {
      const char *args = rows_text (children, i, "args"), *due = rows_text (children, i, "due_at");
      step_child (step, rows_text (children, i, "job"), json_parse (args, strlen (args), NULL),
                  rows_text (children, i, "child_key"), rows_text (children, i, "unique_key"), 0);
      RunSpec *child = &g_array_index (step->children, RunSpec, step->children->len - 1);
      child->due_at_us = due != NULL ? time_of (due) : 0;
    }
}

static gboolean
record (Step *step, const GPtrArray *keys, const Trial *trial, GHashTable *known, GError **error)
{
  g_autoptr (GPtrArray) failed = g_ptr_array_new (), reasons = g_ptr_array_new ();
  g_autoptr (GHashTable) words = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < keys->len; i++)
    {
      const BisectBad *bad = g_hash_table_lookup (step->bisect->bad, keys->pdata[i]);
      if (bad == NULL)
        continue;
      g_ptr_array_add (failed, keys->pdata[i]);
      g_ptr_array_add (reasons, bad->reason);
    }
  for (int i = 0; i < rows_count (trial->decided); i++)
    {
      const char *key = rows_text (trial->decided, i, "key");
      if (g_str_equal (trial->what[i], "failed"))
        {
          g_ptr_array_add (failed, (gpointer)key);
          g_ptr_array_add (reasons, (gpointer)REFUSED);
        }
      else if (g_hash_table_contains (known, key))
        {
          g_autofree char *item = item_of (step, key);
          step_unquarantine (step, item);
        }
      if (!g_str_equal (trial->what[i], "failed"))
        g_hash_table_add (words, (gpointer)trial->what[i]);
    }
  GHashTableIter iter;
  gpointer word;
  g_hash_table_iter_init (&iter, words);
  while (g_hash_table_iter_next (&iter, &word, NULL))
    if (!record_what (step, word, trial, error))
      return FALSE;
  record_children (step, trial->children);
  return record_failed (step, failed, reasons, error);
}

static Extra
extra_of (va_list pairs)
{
  Extra extra = { g_ptr_array_new (), g_ptr_array_new () };
  for (const char *name; (name = va_arg (pairs, const char *)) != NULL;)
    {
      g_ptr_array_add (extra.names, (gpointer)name);
      g_ptr_array_add (extra.texts, va_arg (pairs, gpointer));
    }
  return extra;
}

static void
mark_refused (Step *step, const Trial *trial)
{
  for (int i = 0; i < rows_count (trial->decided); i++)
    if (g_str_equal (trial->what[i], "failed"))
      g_hash_table_add (step->refused, g_strdup (rows_text (trial->decided, i, "key")));
}

gboolean
page_apply (Step *step, GPtrArray *keys, va_list pairs, PgRows **decided, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Extra extra = extra_of (pairs);
  Trial trial = { 0 };
  gboolean ok = pass_over (step, keys, known, error) && apply_good (step, keys, &extra, &trial, error)
                && record (step, keys, &trial, known, error);
  if (ok)
    {
      mark_refused (step, &trial);
      *decided = g_steal_pointer (&trial.decided);
      bisect_reset (step->bisect);
    }
  trial_clear (&trial);
  g_ptr_array_unref (extra.names);
  g_ptr_array_unref (extra.texts);
  return ok;
}

const char *
step_what (Step *step, const PgRows *decided, int row)
{
  const char *key = rows_text (decided, row, "key");
  return g_hash_table_contains (step->refused, key) ? "failed" : rows_text (decided, row, "what");
}
