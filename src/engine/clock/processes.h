/* This process's row in pruned.processes: what it is and which settings it runs with, so that
 * others see what is in force and where processes differ.
 *
 * Invariant: what an older snapshot has never replaces what a newer one has, because both writers
 * of these columns hold one lock, and the older one looks before it writes.
 *
 * Threads: processes_beat and processes_leave: housekeeping, or main while there is none yet;
 * processes_answer: reload; the rest: any.
 * Ownership: see each function.
 */
#pragma once
#include "engine/service/service.h"

#define PROCESSES_FORCE_S 30 /* a row that is older does not count for what is in force */

/* `[jobs.<name>]` as in force: {key: value}. New reference. */
json_t *processes_settings (const Job *job);

/* This process's id there: a UUID. */
const char *processes_id (void);

/* Refreshes this process's row every few seconds, and deletes rows that are not refreshed. */
gboolean processes_beat (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Stores SAID as this process's answer to the reload that was asked for at ASKED_AT, and what is in
 * force with it. FALSE: not stored; perhaps the process has no row yet. */
gboolean processes_answer (Pg *pg, const char *asked_at, const json_t *said);
/* Deletes this process's row at an orderly end. Errors are ignored. */
void processes_leave (Pg *pg);
