/* The settings that are in force: a snapshot that never changes, swapped at once for another one
 * when the configuration is reloaded.
 *
 * Invariant: a thread reads one snapshot from one in_force_renew to the next, so that no step and
 * no round sees a change half-way; a reload waits for nobody and nobody waits for a reload. The
 * last thread that has a snapshot frees it. Threads: any; one that never renews reads what was in
 * force when it first asked. Ownership: what is returned belongs to the snapshot: it is the
 * caller's until the thread renews.
 */
#pragma once
#include "engine/job/job.h"

typedef struct {
  gboolean enabled;
  Cron *cron; /* NULL: off */
  GTimeZone *zone;
  int batch, max_attempts, item_attempts;
  gint64 delay_ms;
} JobSettings;

/* Checks cron expressions and zones; then CONFIG is in force. It lives as long as the process reads
 * settings. */
gboolean in_force_begin (const Jobs *jobs, const Config *config, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same of a later one, which is taken in any case. After an error all is as it was. */
gboolean in_force_replace (const Jobs *jobs, Config *config, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Nobody reads settings of JOBS any more. */
void in_force_end (const Jobs *jobs);

/* From here on this thread reads what is in force now. */
void in_force_renew (void);
const Config *in_force_config (void);
const JobSettings *in_force_of (const Job *job);
/* The first time of its schedule after AFTER; -1: there is none. */
gint64 in_force_next (const Job *job, gint64 after_us);
/* Of this thread's snapshot: another one has another number. */
guint in_force_number (void);
