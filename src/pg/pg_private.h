/* Shared by session.c, wait.c, connection.c, send.c, pipeline.c and transaction.c: each uses only
 * those before it. A
 * connection is always in pipeline mode (one statement is a pipeline of one). `sent` records in
 * order what was queued, because the answers to our own BEGIN, limits and PREPARE come between
 * those of the caller.
 *
 * Threads: that of the Pg; pg_cancel any (cancel.h). Ownership: the Pg.
 */
#pragma once
#include "pg/cancel.h"
#include "pg/kept.h"
#include "pg/pg.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define ANSWER_TIMEOUT_MS 30000 /* twice the statement_timeout */

typedef enum { SENT_OWN, SENT_PATH, SENT_PREPARE, SENT_SETTINGS, SENT_CALLER } SentKind;
typedef struct {
  SentKind kind;
  const PgStatement *statement;
} Sent;

struct _Pg {
  char *url, *app_schema, *extension_schemas, *name;
  char *task;          /* application_name of the next transaction; NULL: the session's */
  char *role;          /* whose rights a transaction has; NULL: those of the login */
  gboolean takes_task; /* nobody else has named the session (url, PGAPPNAME) */
  gboolean prepare;
  int answer_ms;
  PGconn *conn;
  gboolean left_behind; /* the last server that was connected to: timeline.h */
  guint connections;    /* made so far */
  GArray *sent;         /* of Sent: what the pipeline holds */
  guint taken;          /* how many answers of them were taken */
  gboolean synced;      /* the end of the pipeline was sent */
  gboolean begin_wanted, read_only, in_transaction;
  guint64 transactions; /* begun so far */
  gboolean stirred;     /* a statement was queued that can change settings, and none behind it */
  GPtrArray *changed;   /* of const char: tables of such statements of the transaction */
  GString *unsettled;   /* settings that were found changed in it */
  gboolean hidden;      /* the last error: row-level security */
  gboolean asks_commits, in_doubt; /* commit.h */
  gboolean (*may_commit) (Pg *pg, GError **error);
  char *number, *server; /* of the transaction that is to be committed */
  PgLock lock;           /* the last error: what was locked */
  const atomic_int *plans;
  gint plans_made; /* the number of PgSettings.plans that this session has seen */
  Kept *kept;
  GHashTable *prepared; /* names of the statements (equal texts have one name) that are prepared in
                           this session, or will be once the pipeline has run */
  GHashTable *refused;  /* names of those that the server refused to prepare: PgBouncer closes a
                           connection that prepares such a name again */
  char sqlstate[6];
  int position; /* of the last error, in characters of its statement, from 1; 0: not known */
  pthread_mutex_t cancel_lock;
  Canceller *canceller;        /* under cancel_lock; NULL: no connection */
  _Atomic gint64 cancelled_us; /* monotonic, when pg_cancel was called; 0: it was not */
  gboolean tainted;   /* a cancel can still be on its way: use the connection for no other work */
  gint64 deadline_us; /* of the transaction; 0: none */
  gint64 until_us;    /* that of each transaction; 0: none */
  int statement_ms;   /* the statement_timeout; 0: that of limits.sql */
};

/* Sets PRUNED_OUTAGE with libpq's text, and closes the connection. Returns FALSE. */
gboolean pg_fail_connection (Pg *pg, const char *doing, GError **error);
/* Errors of a server that cannot be reached, or does not answer, have this in their text, behind
 * what others have put before it. */
#define PG_AWAY "PostgreSQL: "
/* Sets ERROR from PostgreSQL's refusal, with its verdict, and drains the pipeline. STATEMENT can be
 * NULL. */
void pg_fail_statement (Pg *pg, const PGresult *result, const PgStatement *statement,
                        GError **error);
/* Asks the server to cancel the running statement; does not wait. */
void pg_cut (Pg *pg);
/* Waits until PQgetResult will not block: for `answer_ms`, and shorter after a cancel. FALSE:
 * PRUNED_OUTAGE, and the connection is closed. */
gboolean pg_wait (Pg *pg, GError **error);
/* Called before the first statement: sends BEGIN and the limits if pg_begin was called, else the
 * limits only (outside a transaction a whole pipeline is one transaction). */
gboolean pg_send_limits (Pg *pg, GError **error);
/* Queues STATEMENT for each of VALUES, and parses it once. */
gboolean pg_send_each (Pg *pg, const PgStatement *statement, PgValues *const *values, guint n,
                       GError **error);
/* Queues the question what STATEMENT returns, which is not run. */
gboolean pg_send_describe (Pg *pg, const PgStatement *statement, GError **error);
/* Queues the settings of the transaction again, if a statement before can have changed them. */
gboolean pg_send_settings (Pg *pg, GError **error);
/* Queues the question whether PostgreSQL has kept the foreign keys of what the transaction has
 * changed, VALUES: its statement fails if not. */
gboolean pg_send_keys (Pg *pg, const PgValues *values, GError **error);
/* pg_run_kept would not run it. */
gboolean pg_has_kept (Pg *pg, const PgStatement *statement, const PgValues *values,
                      const char *stamp);
/* For our own statements: pg_send_own queues one; pg_run_own also sends it and takes its answer. */
gboolean pg_send_own (Pg *pg, const char *sql, GError **error);
gboolean pg_run_own (Pg *pg, const char *sql, GError **error);
