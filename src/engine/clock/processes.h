/* This process's row in pruned.processes: what it is and which settings it runs with, so that
 * others see what is in force and where processes differ.
 *
 * Threads: processes_beat and processes_leave: housekeeping; the rest: any. Ownership: see
 * each function.
 */
#pragma once
#include "engine/service/service.h"

#define PROCESSES_FORCE_S 30 /* a row that is older does not count for what is in force */

/* `[jobs.<name>]` as in force: {key: value}. New reference. */
json_t *processes_settings (const Job *job);

/* Sets `settings`, `jobs`, `versions` and `refused` of the row to what is in force. */
void processes_in_force (PgValues *values);

/* This process's id there: a UUID. */
const char *processes_id (void);

/* Refreshes this process's row every few seconds, and deletes rows that are not refreshed. */
gboolean processes_beat (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Deletes this process's row at an orderly end. Errors are ignored. */
void processes_leave (Pg *pg);
