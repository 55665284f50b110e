/* Why a run is held, for people. Machines read `limit` and what it was compared with in `held`.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "engine/brakes/count.h"
#include "engine/brakes/limits.h"

/* Why RUN, which would change COUNT, is held by LIMIT: `33,796 rows are 22.5 % of orders, above
 * max_share 20 %`. g_free it. */
char *held_words (const RowLimits *limits, const Run *run, const char *limit,
                  const RunCount *count);
