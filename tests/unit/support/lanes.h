/* Lanes whose partitions no consumer has. */
#pragma once
#include "engine/lane/lane_private.h"

/* JOB NULL: of a topic that intake reads. It belongs to LANES. */
Lane *lanes_with (Lanes *lanes, const char *topic, gint32 number, Job *job);
/* The only lane that a worker takes now; NULL: none. */
Lane *lanes_given (Lanes *lanes, Pg *cancel);
