/* Rows that another session holds. A page waits for them once, as any step waits for a lock
 * (lock_timeout). Then they are found as rows at fault are (bisect.h), waited for BUSY_WAIT each,
 * and passed over: the others go. They are no failures: the quarantine has them as `busy`, with the
 * next try at once, nothing is parked, charged or announced. The run looks at them again at its
 * end, BUSY_LOOKS times, and says how many are left; the next run of the job finds them on its
 * pages.
 *
 * Invariant: a row is looked at again only by what the job itself says then: by the decision of a
 * sentence or of a built-in job, which repeats its whole condition, or by the pages of a folder,
 * from the first one on, of which nothing but such rows is taken.
 *
 * Not for a row that an event has named: its sender waits for an answer, so the run waits, as it
 * does when a table is locked or most of a page. A job in C that brings its own keys (step_page)
 * waits, too, unless it says that it can do without some (step_passes_busy in pruned/job.h): what a
 * key of it stands for may need all of them. It looks again with the cursor that it says.
 *
 * Threads: one worker, inside the step's transaction. Ownership: as said.
 */
#pragma once
#include "engine/step/page_keys.h"

#define BUSY_COUNTER "busy" /* in a run's result: rows that were passed over and are left */
#define BUSY_REASON "busy"  /* of an entry in the quarantine */
#define BUSY_WAIT "100ms"   /* for each try of a page that has met a lock */
#define BUSY_LOOKS 2

/* Is CAUSE a lock of a row that STEP may pass over? */
gboolean busy_is (const Step *step, const GError *cause);
/* Whether all that the last page, or try, of STEP was about is held by other sessions, or most. */
void busy_set_held (Step *step, gboolean held);
/* Tries behind the first that met a lock (`bisect->locked`) wait less long. */
gboolean busy_hurry (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* KEY stays, because another session holds it, as WHY says. */
void busy_pass_over (Step *step, const char *key, const char *why);
/* What STEP was about is held as a whole, as WHY says: a job that passes busy rows over is told so,
 * nothing of it has changed, and the next tries wait less long. */
gboolean busy_note_held (Step *step, const char *why, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* STEP looks again, by the decision of its job. */
gboolean busy_is_decided (const Step *step);
/* PAGE becomes up to LIMIT rows of the job that were busy, those of this run first. */
gboolean busy_set_page (Step *step, int limit, Page *page, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* If STEP looks again by its pages, PAGE loses the rows that were not busy. */
gboolean busy_sift (Step *step, Page *page, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* STEP has looked at PAGE again: those that are still busy are all that count. Does nothing after
 * any other page. */
void busy_note_looked (Step *step, const Page *page);
/* The pages of the run are done, the last one is PAGE (NULL: it was done before). If rows are left,
 * the run waits to look at them again, or says that they are. */
void busy_end (Step *step, const Page *page);
/* Writes the entries of `busy_items`. */
gboolean busy_settle (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
