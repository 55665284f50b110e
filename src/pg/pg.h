/* A PostgreSQL connection: statements with named parameters, pipelines, and errors whose code is
 * the verdict.
 *
 * Statements are files below `/pruned/` of the embedded tree (`src/engine/work/sql/fence.sql`) or
 * texts; `:name::type` is bound, never printed. Invariant: no session state: every transaction sets
 * its own limits and search_path (works behind a transaction pooler).
 *
 * Threads: a Pg belongs to one thread at a time; pg_cancel alone may be called from another.
 * Ownership: rows_free what is returned; statements live as long as the process.
 */
#pragma once
#include "base/error.h"
#include "pg/rows.h"

typedef struct _Pg Pg;
typedef struct _PgStatement PgStatement;
typedef struct _PgValues PgValues;

typedef struct {
  const char *url; /* libpq connection string or URI */
  const char *app_schema;
  gboolean prepare; /* FALSE: never name a statement (transaction poolers without support) */
  const char *name; /* application_name */
  int answer_ms; /* a server that says nothing for so long is gone; 0: twice the statement_timeout
                  */
  const gint *plans; /* when it changes (atomic) the plans that the server keeps of prepared
                        statements are made anew; NULL: never */
} PgSettings;

/* --- connection ---------------------------------------------------------------------------------
 */
Pg *pg_new (const PgSettings *settings); /* does not connect yet */
void pg_free (Pg *pg);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pg, pg_free)
/* Connects if there is no live connection. PRUNED_OUTAGE with libpq's words (and what to do). At
 * most 5 s. */
gboolean pg_ensure (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean pg_is_up (
    const Pg *pg);      /* a server answers there, though it may not let us in. At most 5 s */
void pg_close (Pg *pg); /* drops the connection; pg_ensure makes a new one */
/* Asks for the running statement to be cancelled, and does not wait; it then fails with
 * PRUNED_BUSY, or the connection is given up as one that does not answer. Thread: any. */
void pg_cancel (Pg *pg);
void pg_cancel_clear (
    Pg *pg); /* what follows is other work: a cancelled connection is not used for it */
/* What runs at that time (monotonic) is cancelled, and fails with 57014; until the transaction's
 * commit or end. 0: never. */
void pg_set_deadline (Pg *pg, gint64 deadline_us);
gboolean pg_in_transaction (const Pg *pg);
/* SQLSTATE of the last error, "" if it had none. */
const char *pg_sqlstate (const Pg *pg);
gboolean pg_is_class42 (const Pg *pg);
int pg_server_version (const Pg *pg);
guint pg_connections (const Pg *pg); /* made so far: another number, another session */

/* --- statements
 * ----------------------------------------------------------------------------------- */
/* By file name in the embedded tree. g_error (bug) if it is not there. Thread: any. */
const PgStatement *pg_statement (const char *file);
/* From a text; kept for ever under NAME (used in messages; a second call with the same name returns
 * the first). PRUNED_FATAL: a parameter without a cast. Thread: any. */
const PgStatement *pg_statement_text (const char *name, const char *text, GError **error);
gboolean pg_statement_wants (const PgStatement *statement, const char *parameter);
/* Their names, NULL-terminated; owned by the statement. */
const char *const *pg_statement_parameters (const PgStatement *statement);
const char *pg_statement_name (const PgStatement *statement);

PgValues *pg_values_new (void);
void pg_values_free (PgValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PgValues, pg_values_free)
void pg_values_set (PgValues *values, const char *name,
                    const char *text);                                /* copied; NULL: SQL null */
void pg_values_take (PgValues *values, const char *name, char *text); /* taken */
void pg_values_int (PgValues *values, const char *name, gint64 number);
void pg_values_time (PgValues *values, const char *name, gint64 us); /* as timestamptz */
const char *pg_values_get (const PgValues *values, const char *name);
/* What STATEMENT is given, as one text that is the same only if everything is. g_free it. */
char *pg_values_words (const PgValues *values, const PgStatement *statement);

/* --- running
 * -------------------------------------------------------------------------------------- */
/* BEGIN with the limits of docs/rules.md (statement_timeout 15 s, lock_timeout 2 s,
 * idle_in_transaction_session_timeout 10 s, UTC, search_path), sent with the first statement in one
 * packet. Connects if needed. */
gboolean pg_begin (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean pg_begin_read_only (Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT; /* repeatable read */
/* What was queued and not taken goes with it, in the same packet; the error is that of the first to
 * fail, and nothing is committed. */
gboolean pg_commit (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void pg_rollback (Pg *pg); /* an error of it closes the connection */
/* One statement; VALUES may be NULL. Extra names in VALUES are no error, missing ones are
 * PRUNED_RETRY. */
PgRows *pg_run (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error);
/* As pg_run, but what was found with the same values and the same STAMP is not asked again on this
 * connection. The rows are the connection's, until the next statement that fails or is kept. */
const PgRows *pg_run_kept (Pg *pg, const PgStatement *statement, const PgValues *values,
                           const char *stamp, GError **error);
/* By file, and by literal text without parameters. */
PgRows *pg_run_file (Pg *pg, const char *file, const PgValues *values, GError **error);
PgRows *pg_run_alone (Pg *pg, const char *file, const PgValues *values,
                      GError **error); /* in a transaction of its own, committed */
gboolean pg_exec (Pg *pg, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A text of any number of statements without parameters, for as long as it takes: schema steps,
 * CREATE INDEX CONCURRENTLY (one statement, no transaction open). In an open transaction its limits
 * hold. */
gboolean pg_script (Pg *pg, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Pipelines: queue any number, then take the results in order; the first error ends it (the rest is
 * skipped). */
gboolean pg_queue (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean pg_flush (Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;            /* end of the pipeline: sends */
PgRows *pg_next (Pg *pg, GError **error); /* the next result */
gboolean pg_finish (Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT; /* takes and drops what is left */

char *pg_library_version (void); /* for `pruned version` */
