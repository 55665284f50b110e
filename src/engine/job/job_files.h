/* The SQL files of a job's folder, as statements. For job.c and step.c.
 * Threads: any. Ownership: statements live as long as the process.
 */
#pragma once
#include "engine/job/job.h"

/* Fills in page, locks, decide, apply of every what, children and context. PRUNED_FATAL names the
 * file. */
gboolean job_files_load (Job *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* `<folder>/<file>.sql`. */
const PgStatement *job_files_statement (const Job *job, const char *file, GError **error);

/* The same as an effect: table and kind from the file's name, audit around it. COLUMNS: what is
 * returned of it. */
gboolean job_files_effect (const Job *job, const char *file, const char *columns, JobApply *apply,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A text as an effect on TABLE: the audit is written by the same statement. COLUMNS: what is
 * returned of it. */
const PgStatement *job_files_audited (const char *name, const char *sql, const char *table,
                                      const char *action, const char *columns, GError **error);
