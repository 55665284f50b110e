/* The SQL files of a job's folder, as statements.
 * Threads: any. Ownership: statements live as long as the process.
 */
#pragma once
#include "engine/job/job.h"

/* Fills in page, locks, decide, children, context and the effects of every word. PRUNED_FATAL
 * names the file. */
gboolean job_files_load (Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The text that counts the keys that the text PAGE of a page.sql finds, up to `:limit`. g_free it.
 */
char *job_files_count_text (const char *page);

/* What the names begin with that a user's statement gets besides its own, so that none of its own
 * is taken for them. */
#define JOB_FILES_OWN "pruned_own_"

/* `<folder>/<file>.sql`. */
const PgStatement *job_files_statement (const Job *job, const char *file, GError **error);

/* A file as an effect: table and kind from the file's name, with the audit. COLUMNS: what the
 * statement returns of each row. OWNER: as of job_files_audited. */
gboolean job_files_effect (const Job *job, const char *file, const char *columns, const char *owner,
                           JobApply *apply, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A text as an effect on TABLE. The same statement writes the audit. COLUMNS: what the statement
 * returns of each row. It has a sibling, known by its name and JOB_FILES_READ_BACK, which also
 * reads back what it records.
 *
 * OWNER: NULL, or the column of a row that says whose it is, where several runs change rows at
 * once: the rows of each are audited as its own. `audit.key`, `audit.run_id` and `audit.step` are
 * lists of equal length; OWNER is its run's `audit.key`. Then it returns `n`, the number of rows,
 * and `owned`, that of rows that have such a run, instead of COLUMNS. Not for an `.insert`. */
#define JOB_FILES_READ_BACK "#back"
const PgStatement *job_files_audited (const char *name, const char *sql, const char *table,
                                      const char *action, const char *columns, const char *owner,
                                      GError **error);
/* Sets `many` of APPLY, whose text is SQL (which returns `owner`, if APPLY is owned). */
gboolean job_files_audited_many (const char *name, const char *sql, JobApply *apply, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether FOLDER is a job. Other folders have files that several jobs include. */
gboolean job_files_make_job (const char *folder);
