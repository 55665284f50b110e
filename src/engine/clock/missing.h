/* Runs whose work message is missing get a new one. Proof, not time-out: candidates from the
 * database (ready, untouched for 2 s), then the broker's high watermark E of their lane; those
 * still at the same step once the lane has handled everything below E are missing. Works on lanes
 * that never reach their end; a backlog republishes nothing.
 *
 * Threads: housekeeping. Ownership: housekeeping's.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Missing Missing;
Missing *missing_new (Service *service);
void missing_free (Missing *missing);
/* One look at all lanes of this process. */
gboolean missing_look (Missing *missing, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
