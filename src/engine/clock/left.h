/* Messages that a crash, or an outage of Kafka, left in the outbox.
 *
 * Threads: housekeeping. Ownership: borrows the service.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Left Left;

Left *left_new (Service *service);
void left_free (Left *left);

/* Sends a page of what was left for this process's lanes; the next call goes on behind it. An error
 * is PostgreSQL's, or says that Kafka is down. */
gboolean left_look (Left *left, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
