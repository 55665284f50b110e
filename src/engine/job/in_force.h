/* The jobs and settings in force: a snapshot that never changes. A reload replaces it as a whole.
 *
 * Invariant: a thread reads one snapshot from one in_force_renew to the next, so no step and no
 * round sees half of a change. A reload does not wait for threads, and threads do not wait for a
 * reload. The last thread that has a snapshot frees it.
 *
 * Threads: any; a thread that never renews keeps the snapshot that was in force when it first
 * asked.
 * Ownership: what is returned belongs to the snapshot and is valid until the thread renews.
 */
#pragma once
#include "engine/job/job.h"

/* What a job's runs do: remove rows, only plan, or nothing because the job is off. */
typedef enum { MODE_PLAN, MODE_APPLY, MODE_OFF } JobMode;
typedef enum { APPROVE_NEVER, APPROVE_FIRST, APPROVE_ABOVE, APPROVE_ALWAYS } JobApprove;

/* Which rows are told as RowProcessed. */
typedef enum { OUTCOMES_EVENTS, OUTCOMES_ALL, OUTCOMES_NONE } JobOutcomes;

/* Rows of one run; -1: off. */
typedef struct {
  JobApprove approve;
  int approvals; /* persons that a held run needs */
  gint64 max_rows, max_rows_per_day, min_rows;
  gint64 max_share, max_ratio; /* thousandths of a percent, and of one */
  gboolean share_of_large;     /* max_share counts for a table of 1,000 rows, whatever the run
                                  has; else from min_rows rows of the run on */
} JobLimits;

typedef struct {
  gboolean enabled; /* and not off by its mode */
  JobLimits limits;
  Cron *cron; /* NULL: off */
  GTimeZone *zone;
  Hours *quiet; /* `not_between`; NULL: off */
  int batch, max_attempts, item_attempts;
  int ranges; /* in how many lanes a run of it works at once, at most */
  gint64 delay_ms;
} JobSettings;

/* Checks cron expressions and zones, then puts CONFIG in force. CONFIG must live as long as the
 * process reads settings. */
gboolean in_force_begin (const Jobs *jobs, const Config *config, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same for a later configuration. Takes CONFIG in any case. After an error the settings in
 * force stay. */
gboolean in_force_replace (const Jobs *jobs, Config *config, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* No thread reads settings of JOBS after this. */
void in_force_end (const Jobs *jobs);

/* From here on this thread reads the settings that are in force now. */
void in_force_renew (void);
const Jobs *in_force_jobs (void);
const Config *in_force_config (void);
const JobSettings *in_force_of (const Job *job);
/* What `approve` of JOB says, but a run of `pruned reapply` always needs an approval. */
JobApprove in_force_approve (const Job *job);
/* The mode of JOB: of its section, else of [run], else as `pruned migrate` has recorded it. */
JobMode in_force_mode (const Job *job);
/* That of a job whose section names none. */
JobMode in_force_general_mode (void);
const char *in_force_mode_word (JobMode mode);
/* Of the rows of the job called NAME, which this process need not have: of its section, else of
 * [outcomes]. */
JobOutcomes in_force_outcomes (const char *name);
/* JOB is in force and not off. While it is off, its runs wait: no step of it begins. */
gboolean in_force_is_on (const Job *job);
/* The names of the jobs that are on, or off, as an array literal. */
char *in_force_names (gboolean on);
/* [run] mode names none: what is recorded counts. */
gboolean in_force_mode_is_recorded (void);
/* What the database has recorded: `apply` or `plan`. `plan` until this is called. */
void in_force_record_mode (const char *word);
/* The first time of its schedule after AFTER_US; -1: none. */
gint64 in_force_next (const Job *job, gint64 after_us);
/* The number of this thread's snapshot; each snapshot has its own. */
guint in_force_number (void);
/* Whether no later snapshot has been put in force. */
gboolean in_force_is_latest (void);
