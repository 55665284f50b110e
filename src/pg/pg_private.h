/* What connection.c, pipeline.c and transaction.c share. A connection is always in pipeline mode
 * (one statement is a pipeline of one); what was queued is remembered in order (`sent`), because
 * the answers to our own BEGIN, limits and PREPARE come in between those of the caller.
 */
#pragma once
#include "pg/cancel.h"
#include "pg/kept.h"
#include "pg/pg.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef enum { SENT_OWN, SENT_PREPARE, SENT_CALLER } SentKind;
typedef struct {
  SentKind kind;
  const PgStatement *statement;
} Sent;

struct _Pg {
  char *url, *app_schema, *name;
  gboolean prepare;
  int answer_ms;
  PGconn *conn;
  guint connections; /* made so far */
  GArray *sent;      /* of Sent: answers not yet taken */
  guint taken;       /* how many of them were */
  gboolean synced;   /* the end of the pipeline was sent */
  gboolean begin_wanted, read_only, in_transaction;
  const gint *plans;
  gint plans_made; /* of these */
  Kept *kept;
  GHashTable *prepared; /* names of statements (two with the same text are one) that this connection
                           knows, or will when its pipeline has gone through */
  GHashTable *refused; /* of those that it did not take: PgBouncer ends a connection that prepares a
                          second one of the same name */
  char sqlstate[6];
  pthread_mutex_t cancel_lock;
  Canceller *canceller;        /* NULL: no connection; under the lock */
  _Atomic gint64 cancelled_us; /* monotonic, when somebody asked; 0: nobody did */
  gboolean tainted;            /* a cancel may still be on its way: it must meet no other work */
  gint64 deadline_us;          /* of the transaction; 0: none */
};

/* PRUNED_OUTAGE with libpq's words; the connection is closed. Always FALSE. */
gboolean pg_fail_connection (Pg *pg, const char *doing, GError **error);
/* What PostgreSQL refused, with its verdict; the rest of the pipeline is taken. STATEMENT may be
 * NULL. */
void pg_fail_statement (Pg *pg, const PGresult *result, const PgStatement *statement,
                        GError **error);
/* Asks the server to cancel what runs; does not wait for it. */
void pg_cut (Pg *pg);
/* Before the first statement that is sent: BEGIN and the limits, if pg_begin asked for them; the
 * limits alone outside a transaction, where a pipeline up to its end is one. */
gboolean pg_send_limits (Pg *pg, GError **error);
/* Queued, BOUND to its parameters, and prepared before that if need be. */
gboolean pg_send_bound (Pg *pg, SentKind kind, const PgStatement *statement,
                        const char *const *bound, GError **error);
/* A statement of our own: queued; and queued, sent, and its answer taken. */
gboolean pg_send_own (Pg *pg, const char *sql, GError **error);
gboolean pg_run_own (Pg *pg, const char *sql, GError **error);
