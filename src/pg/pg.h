/* A PostgreSQL connection: statements with named parameters, pipelines, errors whose code is the
 * verdict.
 *
 * Statements are files below `/pruned/` of the embedded tree (`src/engine/work/sql/fence.sql`) or
 * texts; `:name::type` is bound, never printed.
 *
 * Invariant: there is no session state: every transaction sets its own limits and search_path, so
 * it works behind a transaction pooler.
 *
 * Threads: a Pg belongs to one thread at a time; only pg_cancel can be called from others.
 * Ownership: the caller frees rows with rows_free; statements live as long as the process.
 */
#pragma once
#include "base/error.h"
#include "pg/rows.h"

#include <stdatomic.h>

typedef struct _Pg Pg;
typedef struct _PgStatement PgStatement;
typedef struct _PgValues PgValues;

typedef struct {
  const char *url; /* libpq connection string or URI */
  const char *app_schema;
  const char *extension_schemas; /* behind it in the search_path, as SQL writes a list of names;
                                    "auto": those of the application's own path (path.sql); NULL:
                                    none */
  gboolean prepare; /* FALSE: never prepare a named statement (for transaction poolers without
                       support) */
  const char *name; /* application_name */
  int answer_ms;    /* a server that does not answer for this time counts as gone; 0: twice the
                       statement_timeout */
  const atomic_int *plans; /* when this number changes (atomic), the server discards the plans of
                        its prepared statements; NULL: never */
  gboolean asks_commits;   /* a commit whose answer is lost is asked for again (pg_is_in_doubt) */
  /* With asks_commits: asked in the open transaction before each commit of one that has changed
   * something. FALSE: ERROR says why not, and pg_commit fails with it. NULL: nobody is asked. */
  gboolean (*may_commit) (Pg *pg, GError **error);
} PgSettings;

/* --- connection --- */
Pg *pg_new (const PgSettings *settings); /* does not connect yet */
void pg_free (Pg *pg);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pg, pg_free)
/* Connects if there is no live connection. PRUNED_OUTAGE with libpq's text and what to do. Takes 5
 * s at most. */
gboolean pg_ensure (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* There is a live connection, and no transaction. */
gboolean pg_is_idle (const Pg *pg);
/* A server answers, even if it refuses the login. Takes 5 s at most. */
gboolean pg_is_up (const Pg *pg);
/* ERROR, of any connection, is that the server could not be reached, or has not answered. */
gboolean pg_is_away (const GError *error);
/* The session of the last statement can change nothing: its server is a standby, or a setting of
 * the role or the database says so. */
gboolean pg_is_read_only (const Pg *pg);
/* The server does not check whether texts of the database are valid (encoding SQL_ASCII): a
 * statement that returns one that is no UTF-8 fails. */
gboolean pg_is_unchecked (const Pg *pg);
#define PG_UNCHECKED                                                                                \
  "the database's encoding is SQL_ASCII, which checks no text: a row with one that is no UTF-8 is " \
  "quarantined, or fails its run"
/* From here on each transaction has the rights of ROLE (SET LOCAL ROLE), and not those of who has
 * logged in; NULL: those. Copied. */
void pg_act_as (Pg *pg, const char *role);
void pg_close (Pg *pg); /* closes the connection; pg_ensure opens a new one */
/* Asks the server to cancel the running statement, without waiting. The statement then fails with
 * PRUNED_BUSY, or, if the server does not answer, the connection is closed. Thread: any. */
void pg_cancel (Pg *pg);
void pg_cancel_clear (Pg *pg); /* other work follows: it does not use a cancelled connection */
/* From here on a statement has STATEMENT_MS (0: as limits.sql says), and each transaction has the
 * deadline UNTIL_US. */
void pg_set_most (Pg *pg, int statement_ms, gint64 until_us);
/* The statement that runs at DEADLINE_US (monotonic) is cancelled and fails with 57014. In a
 * transaction, and until it ends. 0: no deadline. */
void pg_set_deadline (Pg *pg, gint64 deadline_us);
gboolean pg_in_transaction (const Pg *pg);
/* The SQLSTATE of the last error, "" if it had none. */
const char *pg_sqlstate (const Pg *pg);
gboolean pg_is_class42 (const Pg *pg);
/* The last error: a text was no value of a type or of a domain. */
gboolean pg_is_no_value (const Pg *pg);
/* The last error: it is not the end of a wait for a lock; or what was waited for (lock_timeout). */
typedef enum {
  PG_LOCK_NONE,
  PG_LOCK_ROW,
  PG_LOCK_TABLE,
  PG_LOCK_UNPLACED /* PostgreSQL does not say: mostly a row for which another session waits, too */
} PgLock;
PgLock pg_lock (const Pg *pg);
/* The last error: row-level security can hide rows of a table from this role. */
gboolean pg_is_hidden (const Pg *pg);
/* The last error: a row is larger than what PostgreSQL can make of it, such as a value of JSON. */
gboolean pg_is_too_large (const Pg *pg);
int pg_server_version (const Pg *pg);
/* The connection does not leave this machine: its other end may be a pooler. */
gboolean pg_is_local (const Pg *pg);
/* The server as people name it, `host:port`; where the connection does not leave this machine, by
 * this machine's name. g_free it. */
char *pg_host (const Pg *pg);
/* How many were made so far: a new number means a new session. */
guint pg_connections (const Pg *pg);

/* --- statements --- */
/* The statement of a file in the embedded tree; g_error (a bug) if the file is missing. Thread:
 * any. */
const PgStatement *pg_statement (const char *file);
/* A statement from a text, kept for ever under NAME. NAME is used in messages; a second call with
 * it returns the first statement. PRUNED_FATAL: a parameter without a cast. Thread: any. */
const PgStatement *pg_statement_text (const char *name, const char *text, GError **error);
/* The one that is kept under NAME; NULL: there is none yet. Thread: any. */
const PgStatement *pg_statement_known (const char *name);
/* As pg_statement_text. It is planned for its values each time, and not once for all values: for
 * conditions whose best index depends on them. */
const PgStatement *pg_statement_anew (const char *name, const char *text, GError **error);
/* As pg_statement_text, or as pg_statement_anew. It may change nothing: PostgreSQL refuses what it
 * or a function that it calls would change, with PRUNED_RETRY and 25006. In a transaction that may
 * write it goes with a savepoint, in the same packet. */
const PgStatement *pg_statement_reading (const char *name, const char *text, gboolean anew,
                                         GError **error);
/* As pg_statement_text. It changes rows of TABLE: a transaction that PostgreSQL has let change them
 * without keeping foreign keys does not commit (keys_off.sql; PRUNED_RETRY and 42704).
 *
 * Such a statement runs triggers of the application, and so does every other one in whose text a
 * change of rows stands. What these set for the rest of the transaction, and a decision depends on
 * (settings.sql), is set back before the next statement, in the same packet. */
const PgStatement *pg_statement_changing (const char *name, const char *text, const char *table,
                                          GError **error);
/* Its TABLE; "" or NULL: it was not made with one. Owned by the statement. */
const char *pg_statement_table (const PgStatement *statement);
gboolean pg_statement_wants (const PgStatement *statement, const char *parameter);
/* The names of the parameters, NULL-terminated; owned by the statement. */
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
/* All values that STATEMENT uses, as one text; equal texts mean equal values. g_free it. */
char *pg_values_words (const PgValues *values, const PgStatement *statement);

/* --- running --- */
/* BEGIN with the limits and settings of docs/rules.md (limits.sql), sent in one packet with the
 * first statement. Connects if needed. */
gboolean pg_begin (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean pg_begin_read_only (Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT; /* repeatable read */
/* What the transaction that begins next works on: its application_name, unless the url or PGAPPNAME
 * gives one. It costs no round trip. NULL: nothing. Copied. */
void pg_set_task (Pg *pg, const char *task);
/* The transaction that has begun works on TASK instead, with a statement of its own. */
gboolean pg_change_task (Pg *pg, const char *task, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Statements that are queued but not taken go in the same packet. If one fails, nothing is
 * committed, and ERROR is that of the first to fail. */
gboolean pg_commit (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The last commit has failed, and may be in effect all the same, or come into effect later. */
gboolean pg_is_in_doubt (const Pg *pg);
/* Settings that triggers of the application were found to have changed, in this transaction and
 * since pg_forget_unsettled; NULL: none. */
const char *pg_unsettled (const Pg *pg);
void pg_forget_unsettled (Pg *pg);
void pg_rollback (Pg *pg); /* if it fails, closes the connection */
/* Runs one statement; VALUES can be NULL. Extra names in VALUES are ignored; a missing one is
 * PRUNED_RETRY. */
PgRows *pg_run (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error);
/* As pg_run, but cached: the same statement with the same values and the same STAMP is not run
 * again on this connection. The rows belong to the connection, and are valid until the next
 * statement that fails or is cached. */
const PgRows *pg_run_kept (Pg *pg, const PgStatement *statement, const PgValues *values,
                           const char *stamp, GError **error);
/* The same, run once in a transaction: cached until the next one begins. */
const PgRows *pg_run_once (Pg *pg, const PgStatement *statement, const PgValues *values,
                           GError **error);
/* Runs STATEMENT once with each of the N VALUES, in one pipeline: it is parsed once, and planned
 * once for all values, as every statement is that follows in the transaction. Returns rows for each
 * (PgRows, freed with the array). */
GPtrArray *pg_run_each (Pg *pg, const PgStatement *statement, PgValues *const *values, guint n,
                        GError **error);
/* Runs the statement of a file. */
PgRows *pg_run_file (Pg *pg, const char *file, const PgValues *values, GError **error);
PgRows *pg_run_alone (Pg *pg, const char *file, const PgValues *values,
                      GError **error); /* in its own transaction, committed */
gboolean pg_exec (Pg *pg, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, sent with the next statement or COMMIT, which fails if this one does. */
gboolean pg_exec_later (Pg *pg, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The time on the database's clock at the call, not at the transaction's begin; microseconds. */
gboolean pg_now_us (Pg *pg, gint64 *now_us, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Runs a text of any number of statements without parameters, without a time-out: schema steps,
 * CREATE INDEX CONCURRENTLY (one statement, no transaction open). In an open transaction its limits
 * apply. */
gboolean pg_script (Pg *pg, const char *sql, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* One statement that PostgreSQL refuses in a transaction, with none open and without the limits of
 * one; cancelled after MOST_US (57014). */
gboolean pg_outside (Pg *pg, const char *sql, gint64 most_us, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The plan of STATEMENT for any values, as JSON (EXPLAIN's); it is not run. In an open transaction.
 * NULL: PostgreSQL refuses it; *LINE is the line of its text that is wrong, 0 if that is not known.
 * g_free it. */
char *pg_explain (Pg *pg, const PgStatement *statement, int *line, GError **error);
/* The same for N statements, in one pipeline. NULL: PostgreSQL refuses one of them. g_strfreev. */
char **pg_explain_all (Pg *pg, const PgStatement *const *statements, guint n, GError **error);

/* What STATEMENT returns, described by PostgreSQL without running it: columns, and no row. NULL:
 * PostgreSQL refuses it. */
PgRows *pg_describe (Pg *pg, const PgStatement *statement, GError **error);
/* The names of these columns; none if it returns no rows. NULL: as above. g_strfreev. */
char **pg_columns (Pg *pg, const PgStatement *statement, GError **error);

/* Pipelines: queue any number of statements, then take the results in order. The first error ends
 * the pipeline; the rest is skipped. */
gboolean pg_queue (Pg *pg, const PgStatement *statement, const PgValues *values, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
guint pg_queued (const Pg *pg); /* of them, those whose results were not taken */
gboolean pg_flush (Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;            /* ends the pipeline and sends it */
PgRows *pg_next (Pg *pg, GError **error); /* the next result */
gboolean pg_finish (Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT; /* takes and drops the remaining results */

char *pg_library_version (void); /* for `pruned version` */
