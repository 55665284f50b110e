/* A transaction of a lane or of the dispatcher: what Kafka has acknowledged leaves the outbox with
 * it.
 *
 * Threads: the one that has PG. Ownership: borrows both until it has ended.
 */
#pragma once
#include "engine/outbox/publish.h"

typedef struct {
  Publisher *publisher;
  Pg *pg;
  GPtrArray *riding; /* of the outbox; NULL: nothing rides on it */
} Transaction;

gboolean transaction_begin (Transaction *transaction, Publisher *publisher, Pg *pg, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* For whoever queues no statement of their own behind transaction_begin. */
gboolean transaction_flush (Transaction *transaction, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean transaction_commit (Transaction *transaction, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void transaction_rollback (Transaction *transaction);
