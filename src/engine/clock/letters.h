/* How many messages of the dead topic wait for a verdict, for the metrics: counted now and then.
 *
 * Threads: letters_look is the dispatcher's; engine_dead_letters (engine.h) reads from any. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Kafka is given half a second; if it does not answer, the number is not known until the next time. */
gboolean letters_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
