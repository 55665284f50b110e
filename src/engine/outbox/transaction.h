/* A transaction of a lane or of the clock's threads. It also removes what Kafka has acknowledged
 * from the outbox.
 *
 * Threads: the thread that has PG. Ownership: borrows both until it has ended.
 */
#pragma once
#include "engine/outbox/publish.h"

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
