/* After a run its rows are read again (engine/reading), by housekeeping, apart from the run's
 * transactions. Rows that disagree stop the job: it is paused, with the reason `stopped: second
 * reading`, until somebody resumes it; the outcome RunDisagreed is told.
 *
 * Of the runs of a job that have ended since the last look, one is read: the one with most rows. A
 * reading takes at most a thirtieth of the time: the next look waits for it. So a run with many
 * rows is read soon, and of many small ones some are.
 *
 * Threads: housekeeping. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

#define READINGS_STOPPED "stopped: second reading"

gboolean readings_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
