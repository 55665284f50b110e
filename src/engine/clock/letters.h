/* How many messages of the dead topic wait for a verdict, for the metrics: counted now and then.
 *
 * Threads: letters_look is the dispatcher's; letters_waiting: any. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Messages of the dead topic without a verdict, as last counted; -1: not known. */
gint64 letters_waiting (void);
/* Kafka is given half a second; if it does not answer, the number is not known until the next time.
 */
gboolean letters_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
