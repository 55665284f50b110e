/* The part of a reload that is about jobs: reading them again, and what is said of it.
 *
 * Threads: that of the reload. Ownership: reload_jobs_clear.
 */
#pragma once
#include "engine/options.h"
#include "pg/pg.h"

typedef struct {
  Jobs *jobs;                           /* in force, or to be put in force */
  gboolean new;                         /* JOBS are others than those in force */
  GPtrArray *changed, *added, *removed; /* of char, borrowed from JOBS and those before */
} ReloadJobs;

/* What is to be in force instead of NOW. PRUNED_FATAL: a source cannot be read. */
gboolean reload_jobs_read (ReloadJobs *reload, const EngineOptions *options, Pg *pg, Jobs *now,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* {changed, added, removed, refused}: lists of names. New reference. */
json_t *reload_jobs_object (const ReloadJobs *reload);
/* One line, and one for each that is refused. */
void reload_jobs_log (const ReloadJobs *reload);
void reload_jobs_clear (ReloadJobs *reload);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReloadJobs, reload_jobs_clear)
