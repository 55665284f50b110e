/* Messages of an [event] section that is refused: nobody can read their keys.
 *
 * Threads: any. Ownership: see the function.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/job/sentence/own_event.h"

/* Why OWN, a message of TOPIC, is a dead letter because it is one of the event that REFUSED is
 * about. FITS: it is one of another event. NULL: it is not. g_free it. */
char *admit_own_refused (const Jobs *jobs, const JobRefused *refused, const char *topic,
                         const OwnEvent *own, gboolean fits);
