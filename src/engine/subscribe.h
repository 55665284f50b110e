/* The topics that this process reads: ticks, events, those of applications' events, and the work of
 * the jobs in force. A reload can change them.
 *
 * Threads: main. Ownership: service->main has what is subscribed to.
 */
#pragma once
#include "engine/service/service.h"

/* After startup_dependencies: makes the publisher, and the consumer joins the group. */
gboolean subscribe_join (Service *service, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After a reload: reads the topics of the jobs that are in force and enabled now. */
void subscribe_follow (Service *service);
