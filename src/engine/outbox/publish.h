/* The Publisher brings bundles (bundle.h) out: stored in `pruned.unpublished` with the
 * transaction, sent after it, removed on a later one.
 *
 * Invariant: a bundle that was committed is sent by us, or found in the table by the owner of its
 * lane.
 *
 * Threads: any.
 * Ownership: as said.
 */
#pragma once
#include "engine/outbox/bundle.h"
#include "pg/pg.h"

typedef struct _Publisher Publisher;
/* Borrows the producer. */
Publisher *publisher_new (KafkaProducer *producer, const char *prefix);
void publisher_free (Publisher *publisher);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Publisher, publisher_free)
/* Whoever sends gives up, at once and from now on: the process leaves. */
void publisher_stop (Publisher *publisher);
char *publisher_topic (const Publisher *publisher,
                       const char *name); /* `<prefix>.<name>`; g_free */

/* Stores the bundle with the commit of the open transaction, before which nothing else may be asked
 * but by pg_queue. From here on it counts as in flight until sent or abandoned. */
gboolean publisher_store (Publisher *publisher, Pg *pg, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The transaction was rolled back (or may have been: then the dispatcher looks). */
void publisher_abandon (Publisher *publisher, Bundle *bundle);
/* Sends and waits for every acknowledgement; PRUNED_OUTAGE: call again, what was acknowledged is
 * not sent again. */
gboolean publisher_send (Publisher *publisher, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Begins to send; DONE(DATA) is called when every message has been acknowledged or has failed
 * (kafka_publish_begin). Then publisher_send. */
void publisher_begin (Publisher *publisher, Bundle *bundle, GDestroyNotify done, gpointer data);
/* A work message that its topic refuses counts as sent, and is marked `refused`: its run is found
 * missing (missing.c). The same without the table: for what can be found again otherwise (intake,
 * dispatcher, cron). */
gboolean publisher_send_plain (Publisher *publisher, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Any messages (dead letters), borrowed. */
gboolean publisher_send_messages (Publisher *publisher, GPtrArray *messages, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Rides on the open transaction of PG: removes rows of bundles that were acknowledged. After the
 * commit publisher_removed, else publisher_keep. */
gboolean publisher_remove_sent (Publisher *publisher, Pg *pg, GPtrArray **riding, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void publisher_removed (Publisher *publisher, GPtrArray *riding); /* NULL: nothing */
void publisher_keep (Publisher *publisher, GPtrArray *riding);
gboolean publisher_owes (Publisher *publisher); /* something waits to be removed */

/* A row of `pruned.unpublished` that a crash left. FALSE without an error: it is in flight here. */
gboolean publisher_send_left (Publisher *publisher, const char *run_id, int step,
                              const char *messages_base64, GError **error);
