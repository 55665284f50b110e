/* Messages that a crash, or an outage of Kafka, left in the outbox.
 *
 * Threads: housekeeping. Ownership: borrows the service.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _OutboxLeft OutboxLeft;

OutboxLeft *outbox_left_new (Service *service);
void outbox_left_free (OutboxLeft *left);

/* Sends a page of what was left for this process's lanes; the next call goes on behind it. An error
 * is PostgreSQL's, or says that Kafka is down. */
gboolean outbox_left_look (OutboxLeft *left, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
