/* What this process is and what it runs with, in pruned.processes, so that others see what is in
 * force and where processes differ.
 *
 * Threads: processes_beat and processes_leave are the dispatcher's; the rest: any. Ownership: said
 * at each function.
 */
#pragma once
#include "engine/service/service.h"

#define PROCESSES_FORCE_S                                                                          \
  30 /* a row that was not refreshed for so long tells nothing about what is in force */

/* `[jobs.<name>]` as it is: {key: value}. New reference. */
json_t *processes_settings (const Job *job);

/* Every few seconds: this process is there. Rows that nobody refreshes any more go. */
gboolean processes_beat (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* It ends in order: its row goes. What PostgreSQL says to that is not waited for by anybody. */
void processes_leave (Pg *pg);
