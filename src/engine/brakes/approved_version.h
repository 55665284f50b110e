/* What an approval makes known of a job, for `approve = first`: its version, and what else decides
 * which rows it removes and is no part of that: two settings, and the events of an application that
 * name its rows.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "engine/job/job.h"

/* The version itself, if nothing else decides. g_free it. */
char *approved_version (const Job *job);
