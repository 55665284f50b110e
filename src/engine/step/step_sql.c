/* The statements of a job: run one by one, or queued and sent together. */
#include "engine/step/step.h"

#include "engine/job/job_files.h"
#include "engine/step/beside.h"
#include "engine/step/busy.h"
#include "engine/step/read_back.h"
#include "engine/step/pace.h"

#include <stdarg.h>

/* For statements of the job: the step's own parameters and PAIRS. */
static PgValues *
step_values (Step *step, const PgStatement *statement, va_list pairs)
{
  PgValues *values = pg_values_new ();
  step_bind (step, statement, values);
  read_back_bind (step, statement, values);
  for (const char *name; (name = va_arg (pairs, const char *)) != NULL;)
    pg_values_set (values, name, va_arg (pairs, const char *));
  return values;
}

static PgRows *
run_statement (Step *step, const PgStatement *statement, va_list pairs, GError **error)
{
  if (statement == NULL)
    return NULL;
  const PgStatement *now = read_back_statement (step, statement);
  g_autoptr (PgValues) values = step_values (step, now, pairs);
  g_autoptr (PgRows) rows = pg_run (step->pg, now, values, error);
  return rows != NULL && pace_weight_take (step, rows, error) && read_back_take (step, rows, error)
             ? g_steal_pointer (&rows)
             : NULL;
}

PgRows *
step_query (Step *step, GError **error, const char *file, ...)
{
  va_list pairs;
  va_start (pairs, file);
  PgRows *rows = run_statement (step, job_files_statement (step->job, file, error), pairs, error);
  va_end (pairs);
  return rows;
}

/* The statement of an effect, with its table and kind. */
typedef struct {
  const PgStatement *statement;
  char *table;
  ApplyKind kind;
} Effect;

static void
effect_clear (Effect *effect)
{
  g_free (effect->table);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Effect, effect_clear)

static gboolean
read_effect (const Step *step, const char *file, const char *columns, const char *owner,
             Effect *effect, GError **error)
{
  JobApply apply = { 0 };
  const gboolean ok = job_files_effect (step->job, file, columns, owner, &apply, error);
  *effect = (Effect){ apply.statement, apply.table, apply.kind };
  return ok;
}

static PgRows *
run_effect (Step *step, const Effect *effect, va_list pairs, GError **error)
{
  PgRows *rows = run_statement (step, effect->statement, pairs, error);
  if (rows != NULL)
    beside_told_rows (step, effect->table, effect->kind, rows);
  return rows;
}

PgRows *
step_apply (Step *step, GError **error, const char *file, ...)
{
  g_auto (Effect) effect = { 0 };
  if (!read_effect (step, file, "*", NULL, &effect, error))
    return NULL;
  va_list pairs;
  va_start (pairs, file);
  PgRows *rows = run_effect (step, &effect, pairs, error);
  va_end (pairs);
  return rows;
}

PgRows *
step_try (Step *step, char **reason, GError **error, const char *file, ...)
{
  g_auto (Effect) effect = { 0 };
  if (!read_effect (step, file, "*", NULL, &effect, error) || !beside_pause (step, error)
      || !pg_exec (step->pg, "SAVEPOINT attempt", error))
    return NULL;
  g_autoptr (GError) cause = NULL;
  va_list pairs;
  va_start (pairs, file);
  g_autoptr (PgRows) rows = run_effect (step, &effect, pairs, &cause);
  va_end (pairs);
  if (rows != NULL)
    return pg_exec (step->pg, "RELEASE attempt", error) ? g_steal_pointer (&rows) : NULL;
  busy_set_held (step, busy_is (step, cause));
  if (cause->code != PRUNED_DATA && !step->held)
    g_propagate_error (error, g_steal_pointer (&cause));
  else if (pg_exec (step->pg, "ROLLBACK TO attempt", error)
           && pg_exec_later (step->pg, "RELEASE attempt", error)
           && (!step->held || busy_note_held (step, cause->message, error))
           && beside_resume (step, error))
    *reason = g_strdup (cause->message);
  return NULL;
}

/* The name of a statement made at run time, by its text. */
static char *
text_name (const Step *step, const char *sql)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA1, sql, -1);
  return g_strdup_printf ("%s#%.16s", step->job->folder, digest);
}

PgRows *
step_query_text (Step *step, GError **error, const char *sql, ...)
{
  g_autofree char *name = text_name (step, sql);
  va_list pairs;
  va_start (pairs, sql);
  PgRows *rows = run_statement (step, pg_statement_text (name, sql, error), pairs, error);
  va_end (pairs);
  return rows;
}

/* OWNER: the column that says whose a row is; NULL: all are the step's. */
static gboolean
text_effect (const Step *step, const char *table, const char *action, const char *sql,
             const char *columns, const char *owner, Effect *effect, GError **error)
{
  g_autofree char *plain = text_name (step, sql);
  g_autofree char *name
      = g_strdup_printf ("%s#%s.%s#%s%s", plain, table, action, owner != NULL ? "of " : "",
                         owner != NULL ? owner : columns);
  *effect
      = (Effect){ job_files_audited (name, sql, table, action, columns, owner, error),
                  g_strdup (table), g_str_equal (action, "deleted") ? APPLY_DELETE : APPLY_UPDATE };
  return effect->statement != NULL;
}

PgRows *
step_apply_text (Step *step, GError **error, const char *table, const char *action, const char *sql,
                 ...)
{
  g_auto (Effect) effect = { 0 };
  if (!text_effect (step, table, action, sql, "key", NULL, &effect, error))
    return NULL;
  va_list pairs;
  va_start (pairs, sql);
  PgRows *rows = run_effect (step, &effect, pairs, error);
  va_end (pairs);
  return rows;
}

/* Without STAMP for this transaction only. */
static const PgRows *
run_kept (Step *step, const char *stamp, const char *file, va_list pairs, GError **error)
{
  const PgStatement *statement = job_files_statement (step->job, file, error);
  if (statement == NULL)
    return NULL;
  g_autoptr (PgValues) values = step_values (step, statement, pairs);
  return stamp != NULL ? pg_run_kept (step->pg, statement, values, stamp, error)
                       : pg_run_once (step->pg, statement, values, error);
}

const PgRows *
step_query_kept (Step *step, const char *stamp, GError **error, const char *file, ...)
{
  va_list pairs;
  va_start (pairs, file);
  const PgRows *rows = run_kept (step, stamp, file, pairs, error);
  va_end (pairs);
  return rows;
}

const PgRows *
step_query_once (Step *step, GError **error, const char *file, ...)
{
  va_list pairs;
  va_start (pairs, file);
  const PgRows *rows = run_kept (step, NULL, file, pairs, error);
  va_end (pairs);
  return rows;
}

/* --- several in one round trip --- */

static gboolean
queue_statement (Step *step, const PgStatement *statement, va_list pairs, GError **error)
{
  if (statement == NULL)
    return FALSE;
  const PgStatement *now = read_back_statement (step, statement);
  g_autoptr (PgValues) values = step_values (step, now, pairs);
  return pg_queue (step->pg, now, values, error);
}

gboolean
step_queue (Step *step, GError **error, const char *file, ...)
{
  va_list pairs;
  va_start (pairs, file);
  gboolean ok = queue_statement (step, job_files_statement (step->job, file, error), pairs, error);
  va_end (pairs);
  return ok;
}

gboolean
step_queue_text (Step *step, GError **error, const char *sql, ...)
{
  g_autofree char *name = text_name (step, sql);
  va_list pairs;
  va_start (pairs, sql);
  gboolean ok = queue_statement (step, pg_statement_text (name, sql, error), pairs, error);
  va_end (pairs);
  return ok;
}

#define HOW_MANY "count(*) AS n"

/* The column that says whose a row is, as PAIRS have it; NULL: all are the step's. */
static const char *
owner_in (va_list pairs)
{
  const char *owner = NULL;
  va_list copy;
  va_copy (copy, pairs);
  for (const char *name; (name = va_arg (copy, const char *)) != NULL;) {
    const char *text = va_arg (copy, const char *);
    if (g_str_equal (name, "audit.owner"))
      owner = text;
  }
  va_end (copy);
  return owner;
}

static gboolean
queue_effect (Step *step, const Effect *effect, va_list pairs, GError **error)
{
  beside_note_queued (step, effect->table, effect->kind);
  return queue_statement (step, effect->statement, pairs, error);
}

gboolean
step_queue_apply (Step *step, GError **error, const char *columns, const char *file, ...)
{
  g_auto (Effect) effect = { 0 };
  va_list pairs;
  va_start (pairs, file);
  gboolean ok = read_effect (step, file, columns != NULL ? columns : HOW_MANY, owner_in (pairs),
                             &effect, error)
                && queue_effect (step, &effect, pairs, error);
  va_end (pairs);
  return ok;
}

gboolean
step_queue_apply_text (Step *step, GError **error, const char *table, const char *action,
                       const char *sql, ...)
{
  g_auto (Effect) effect = { 0 };
  va_list pairs;
  va_start (pairs, sql);
  gboolean ok = text_effect (step, table, action, sql, HOW_MANY, owner_in (pairs), &effect, error)
                && queue_effect (step, &effect, pairs, error);
  va_end (pairs);
  return ok;
}

GPtrArray *
step_send (Step *step, GError **error)
{
  g_autoptr (GPtrArray) answers = g_ptr_array_new_with_free_func ((GDestroyNotify)rows_free);
  const guint n = pg_queued (step->pg);
  if (n == 0)
    return g_steal_pointer (&answers);
  if (!pg_flush (step->pg, error))
    return NULL;
  for (guint i = 0; i < n; i++) {
    PgRows *rows = pg_next (step->pg, error);
    if (rows == NULL)
      return NULL;
    g_ptr_array_add (answers, rows);
  }
  if (!pg_finish (step->pg, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!pace_weight_take (step, answers->pdata[i], error)
        || !read_back_take (step, answers->pdata[i], error))
      return NULL;
  beside_told_queued (step, answers);
  return g_steal_pointer (&answers);
}
