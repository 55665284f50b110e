/* The Publisher publishes bundles (bundle.h): stored in `pruned.unpublished` by the transaction,
 * sent after it, removed by a later transaction.
 *
 * Invariant: a committed bundle is sent by this process, or the owner of its lane finds it in the
 * table.
 *
 * Threads: any.
 * Ownership: see each function.
 */
#pragma once
#include "engine/outbox/bundle.h"
#include "pg/pg.h"

typedef struct _Publisher Publisher;
/* Borrows the producer. */
Publisher *publisher_new (KafkaProducer *producer, const char *prefix);
void publisher_free (Publisher *publisher);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Publisher, publisher_free)
/* All sending fails at once, now and later: the process ends. */
void publisher_stop (Publisher *publisher);
char *publisher_topic (const Publisher *publisher,
                       const char *name); /* `<prefix>.<name>`; g_free */

/* Stores the bundle with the commit of the open transaction. Until that commit only pg_queue may
 * be used on PG. The bundle counts as in flight until it is sent or abandoned. */
gboolean publisher_store (Publisher *publisher, Pg *pg, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same for a process that does not send: adds the bundle in the open transaction of PG, and
 * whoever has its lane sends it. */
gboolean publish_leave (Pg *pg, const Bundle *bundle, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The transaction was rolled back, or perhaps was: housekeeping will check. */
void publisher_abandon (Publisher *publisher, Bundle *bundle);
/* Sends, and waits for every acknowledgement. PRUNED_OUTAGE: call it again; acknowledged messages
 * are not sent again.
 *
 * What a topic refuses as too large holds nothing up: the texts of outcomes are cut, a work message
 * counts as sent and is marked `refused` (refused.h). */
gboolean publisher_send (Publisher *publisher, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Begins to send. DONE(DATA) is called when every message is acknowledged or has failed
 * (kafka_publish_begin). Call publisher_send afterwards. */
void publisher_begin (Publisher *publisher, Bundle *bundle, GDestroyNotify done, gpointer data);
/* Like publisher_send, without the table: for messages that can be found again in another way
 * (intake, dispatcher, cron). */
gboolean publisher_send_plain (Publisher *publisher, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Begins that, as publisher_begin does. Call publisher_send_plain afterwards. */
void publisher_begin_plain (Publisher *publisher, Bundle *bundle, GDestroyNotify done,
                            gpointer data);
/* Sends any messages (dead letters); borrows them. */
gboolean publisher_send_messages (Publisher *publisher, GPtrArray *messages, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Sends a row of `pruned.unpublished` that a crash left, of JOB. FALSE without an error: the bundle
 * is in flight in this process. */
gboolean publisher_send_left (Publisher *publisher, const char *run_id, int step, const char *job,
                              const char *messages_base64, GError **error);

/* A transaction of a lane or of the clock's threads. It also removes what Kafka has acknowledged
 * from the outbox. Threads: the thread that has PG. Ownership: borrows both until it has ended. */
typedef struct {
  Publisher *publisher;
  Pg *pg;
  GPtrArray *sent; /* names of bundles whose rows it removes; NULL: none */
} Transaction;

gboolean transaction_begin (Transaction *transaction, Publisher *publisher, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* For callers that queue no statement of their own after transaction_begin. */
gboolean transaction_flush (Transaction *transaction, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean transaction_commit (Transaction *transaction, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void transaction_rollback (Transaction *transaction);

/* Removes what Kafka has acknowledged in a transaction of its own, if no other one did it. */
gboolean transaction_remove_sent (Publisher *publisher, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
