/* The functions of pg.h that ask PostgreSQL, as a play has them: all of them are pipelines, which
 * take the play's answers one by one. */
#include "support/played_private.h"

#include "pg/pg_private.h"
#include "pg/statement.h"
#include "pg/verdict.h"

#include <string.h>

/* A statement of a pipeline. */
typedef struct {
  char *name;
  const PgStatement *statement; /* NULL: a text, whose answer nobody takes */
} Asked;

static GQueue pipeline = G_QUEUE_INIT; /* of Asked: what was not taken yet */
static gboolean flushed;
static PgRows *kept;                /* of the last statement that is kept; NULL: none */
static gboolean begun, failed;      /* a transaction; a statement of it has failed */
static const PlayedAnswer *refusal; /* what PostgreSQL's error says; NULL: nothing */

static void
asked_free (gpointer data)
{
  g_free (((Asked *)data)->name);
  g_free (data);
}

void
played_pg_begin (void)
{
  g_queue_clear_full (&pipeline, asked_free);
  flushed = begun = failed = FALSE;
}

/* `10-orders` of `/jobs/a/apply/removed/10-orders.sql#*`. */
static char *
name_of (const PgStatement *statement)
{
  g_autofree char *base = g_path_get_basename (pg_statement_name (statement));
  const char *end = strstr (base, ".sql");
  return end != NULL ? g_strndup (base, (gsize)(end - base)) : g_strdup (base);
}

/* Takes NAME. */
static void
ask (char *name, const PgStatement *statement)
{
  const Asked asked = { name, statement };
  failed = failed && !g_str_has_prefix (name, "ROLLBACK");
  g_assert_false (failed);
  played_note (name);
  g_queue_push_tail (&pipeline, g_memdup2 (&asked, sizeof asked));
  flushed = FALSE;
}

static void
set_error (Pg *pg, const Asked *asked, const PlayedAnswer *answer, GError **error)
{
  const gboolean outage = answer->sqlstate == NULL;
  if (pg != NULL)
    g_strlcpy (pg->sqlstate, outage ? "" : answer->sqlstate, sizeof pg->sqlstate);
  refusal = answer;
  if (outage)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s: played outage", asked->name);
  else
    verdict_set_error (NULL, asked->statement, FALSE, error);
  refusal = NULL;
  failed = begun && !outage;
  g_queue_clear_full (&pipeline, asked_free);
}

/* The answer to the first of the pipeline. *CALLERS: it is one that the caller takes. */
static PgRows *
take (Pg *pg, gboolean *callers, GError **error)
{
  Asked *asked = g_queue_pop_head (&pipeline);
  g_autoptr (PlayedAnswer) answer = played_take (asked->name);
  PgRows *rows = NULL;
  *callers = asked->statement != NULL;
  if (answer != NULL && answer->rows == NULL)
    set_error (pg, asked, answer, error);
  else
    rows = played_rows (answer != NULL ? answer->rows : "none");
  asked_free (asked);
  return rows;
}

/* --- what replaces the functions --- */

static gboolean
queue (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  const char *bound[statement->n_parameters + 1];
  if (!pg_values_bind (values, statement, bound, error))
    return FALSE;
  char *name = name_of (statement);
  played_keep_bound (name, statement, values);
  ask (name, statement);
  return TRUE;
}

static gboolean
flush (Pg *pg, GError **error)
{
  return flushed = TRUE;
}

static PgRows *
next (Pg *pg, GError **error)
{
  PgRows *rows = NULL;
  for (gboolean callers = FALSE; !callers;) {
    g_clear_pointer (&rows, rows_free);
    g_assert_true (flushed && !g_queue_is_empty (&pipeline));
    if ((rows = take (pg, &callers, error)) == NULL)
      break;
  }
  return rows;
}

static gboolean
finish (Pg *pg, GError **error)
{
  gboolean callers;
  while (!g_queue_is_empty (&pipeline)) {
    g_autoptr (PgRows) rows = take (pg, &callers, error);
    if (rows == NULL)
      return FALSE;
  }
  return TRUE;
}

static PgRows *
run (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
{
  return queue (pg, statement, values, error) && flush (pg, error) ? next (pg, error) : NULL;
}

/* Asked only if the test has an answer: else it is known, and has found nothing. */
static const PgRows *
run_kept (Pg *pg, const PgStatement *statement, const PgValues *values, const char *stamp,
          GError **error)
{
  g_autofree char *name = name_of (statement);
  rows_free (kept);
  kept = played_has (name) ? run (pg, statement, values, error) : played_rows ("none");
  return kept;
}

static PgRows *
run_file (Pg *pg, const char *file, const PgValues *values, GError **error)
{
  return run (pg, pg_statement (file), values, error);
}

static gboolean
exec_later (Pg *pg, const char *sql, GError **error)
{
  ask (g_strdup (sql), NULL);
  return TRUE;
}

static gboolean
exec (Pg *pg, const char *sql, GError **error)
{
  return exec_later (pg, sql, error) && finish (pg, error);
}

static gboolean
begin (Pg *pg, GError **error)
{
  g_assert_false (begun);
  failed = FALSE;
  if (pg != NULL)
    pg->sqlstate[0] = '\0';
  return begun = exec (pg, "BEGIN", error);
}

static gboolean
commit (Pg *pg, GError **error)
{
  g_assert_true (begun);
  if (!exec (pg, "COMMIT", error))
    return FALSE;
  begun = FALSE;
  return TRUE;
}

static void
rollback (Pg *pg)
{
  g_queue_clear_full (&pipeline, asked_free);
  if (begun)
    (void)!exec (pg, "ROLLBACK", NULL);
  begun = FALSE;
}

/* What the linker calls __wrap_NAME acts as usual without a play, and as ROLE in one. */
#define PLAYED(type, name, parameters, role, arguments)                                            \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters                                                                    \
  {                                                                                                \
    return played_is_on () ? role arguments : __real_##name arguments;                             \
  }

PLAYED (PgRows *, pg_run,
        (Pg * pg, const PgStatement *statement, const PgValues *values, GError **error), run,
        (pg, statement, values, error))
PLAYED (const PgRows *, pg_run_kept,
        (Pg * pg, const PgStatement *statement, const PgValues *values, const char *stamp,
         GError **error),
        run_kept, (pg, statement, values, stamp, error))
PLAYED (PgRows *, pg_run_file, (Pg * pg, const char *file, const PgValues *values, GError **error),
        run_file, (pg, file, values, error))
PLAYED (PgRows *, pg_run_alone, (Pg * pg, const char *file, const PgValues *values, GError **error),
        run_file, (pg, file, values, error))
PLAYED (gboolean, pg_exec, (Pg * pg, const char *sql, GError **error), exec, (pg, sql, error))
PLAYED (gboolean, pg_exec_later, (Pg * pg, const char *sql, GError **error), exec_later,
        (pg, sql, error))
PLAYED (gboolean, pg_queue,
        (Pg * pg, const PgStatement *statement, const PgValues *values, GError **error), queue,
        (pg, statement, values, error))
PLAYED (gboolean, pg_flush, (Pg * pg, GError **error), flush, (pg, error))
PLAYED (PgRows *, pg_next, (Pg * pg, GError **error), next, (pg, error))
PLAYED (gboolean, pg_finish, (Pg * pg, GError **error), finish, (pg, error))
PLAYED (gboolean, pg_begin, (Pg * pg, GError **error), begin, (pg, error))
PLAYED (gboolean, pg_begin_read_only, (Pg * pg, GError **error), begin, (pg, error))
PLAYED (gboolean, pg_commit, (Pg * pg, GError **error), commit, (pg, error))
PLAYED (void, pg_rollback, (Pg * pg), rollback, (pg))

char *__real_PQresultErrorField (const PGresult *result, int field);
char *__wrap_PQresultErrorField (const PGresult *result, int field);

char *
__wrap_PQresultErrorField (const PGresult *result, int field)
{
  if (refusal == NULL)
    return __real_PQresultErrorField (result, field);
  return field == PG_DIAG_SQLSTATE          ? refusal->sqlstate
         : field == PG_DIAG_MESSAGE_PRIMARY ? refusal->message
                                            : NULL;
}
