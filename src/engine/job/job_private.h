/* What the files of this folder know of a Job and of Jobs, and others do not.
 *
 * Threads: main, when it loads jobs. Ownership: see job.h.
 */
#pragma once
#include "engine/job/job.h"

struct _Jobs {
  GPtrArray *jobs;       /* of Job, by name */
  GPtrArray *others;     /* of Job: loaded, but not in force */
  GPtrArray *refused;    /* of JobRefused, by name */
  GPtrArray *events;     /* of SentenceEvent */
  GPtrArray *remarks;    /* of JobRemark */
  const char **names;    /* of jobs */
  const char **loaded;   /* of jobs and others */
  const char **sections; /* of all, and of those that are refused */
  guint numbers;         /* one more than the highest of a job */
  Jobs *before;          /* replaced by these; NULL: none */
};

/* Empty. */
Jobs *jobs_new (void);
/* Sorts the jobs in force, and notes their names. */
void jobs_sort (Jobs *jobs);
/* Sorts and numbers them. */
void jobs_number (Jobs *jobs);
/* Notes which jobs are loaded and refused, once they are sorted. */
void jobs_note_loaded (Jobs *jobs);

/* An empty job. FOLDER: where it is, for errors. */
Job *job_new (const char *folder, const char *name);
Job *job_ref (Job *job);
/* Gives it what CONFIG says and only a restart changes. */
void job_configure (Job *job, const Config *config);
void job_refused_free (gpointer refused); /* a JobRefused */

/* The version that SUM is of. BOUND: see job_version_is_bound. */
char *job_version_text (GChecksum *sum, gboolean bound);
/* Puts the job NAME among those that are refused, unless it is already, with the place that CAUSE's
 * message begins with. STANDS: a Job stands for it in runs. */
void job_refuse (Jobs *jobs, const char *name, gboolean stands, const GError *cause);

/* JOB, which is refused, could be read, and a check has refused it. What stands for it reads its
 * events from here on. */
void job_refused_checked (Jobs *jobs, Job *job);

/* Notes the events that none of SECTIONS (of Section) and of FOLDERS (paths) names. */
void job_remark_events (Jobs *jobs, const GPtrArray *sections, const GPtrArray *folders);
/* Notes the file at PATH in [run] jobs_dir if it looks like jobs, but has another ending than
 * `.conf`. */
void job_remark_file (Jobs *jobs, const char *path);
void job_remark_free (gpointer remark);

/* Reads the sections and folders of SOURCES into JOBS. PRUNED_FATAL: a source cannot be read. */
gboolean job_own_load (Jobs *jobs, const JobSources *sources, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
