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
 * The runs that change rows are the lists `audit.run_id` and `audit.step`. Of several,
 * `audit.of` is an object: the place of each in the lists, from 1 on, by the name of what its rows
 * are of. That is a row's key; where COLUMNS are JOB_FILES_WITH_OWNER its `owner`; or the value of
 * its column OWNER, and then the statement returns `n`, the number of rows, and `owned`, that of
 * rows that have such a run, instead of COLUMNS. Not for an `.insert`. */
#define JOB_FILES_WITH_OWNER "key, owner"
#define JOB_FILES_READ_BACK "#back"
/* At the end of SQL: the audit also says in which file of an archive the rows are (:archived_in).
 */
#define JOB_FILES_IN_FILE "\n-- in a file"
const PgStatement *job_files_audited (const char *name, const char *sql, const char *table,
                                      const char *action, const char *columns, const char *owner,
                                      GError **error);
/* Further expressions of the text of an effect read all rows that it changes. */
gboolean job_files_reads_applied (const char *sql);
/* Whether FOLDER is a job. Other folders have files that several jobs include. */
gboolean job_files_make_job (const char *folder);
