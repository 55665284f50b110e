/* The files of a job, as they are in its folder, or as the engine writes them for a sentence.
 *
 * Threads: those of the connection. Ownership: job_files_clear.
 */
#pragma once
#include "engine/job/job.h"
#include "pg/pg.h"

typedef struct {
  char *path, *text;
} JobFile;

typedef struct {
  GPtrArray *all;     /* of JobFile */
  const char *beyond; /* why no folder can take the place of the sentence; NULL: one can */
  char *refusal;      /* why there are none: the job is refused, or does not fit its tables */
} JobFiles;
void job_files_clear (JobFiles *files);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (JobFiles, job_files_clear)

/* PG is asked about the tables of a sentence, in a transaction of its own. A job that only starts
 * others has none. FALSE: ERROR. */
gboolean job_files_read (JobFiles *files, Pg *pg, const Job *job, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
