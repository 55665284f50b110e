/* Jobs of one's own, written by a test, and why the program refuses them when it loads them.
 *
 * Paths are told from the folder of jobs on, and `pruned.conf` for the configuration file.
 *
 * Threads: the test's own; config_test_run runs the tests. Ownership: texts belong to this module,
 * until the jobs are loaded again.
 */
#pragma once
#include "cli/cli.h"
#include "support/config_file.h"

/* From here on: no job of one's own, and an empty configuration file. */
void own_jobs_begin (void);
/* FILE: below the folder of jobs, `../pruned.conf`: the configuration. Makes the folders before it.
 * Returns its path. */
const char *own_jobs_write (const char *file, const char *text);
/* OLD stands in the file, and becomes NEW there. */
void own_jobs_replace (const char *file, const char *old, const char *new);
/* A file, or a folder with all that it holds. */
void own_jobs_remove (const char *file);
const char *own_jobs_path (const char *file);
/* The folder of a job that is well. It has a page, context.sql and a file of apply/removed. */
#define OWN_JOB "scratch.remove"
void own_jobs_scratch (void);

/* `section.key=value`, as behind -s, until own_jobs_begin. */
void own_jobs_override (const char *text);

/* Loads all as the program does. Returns why it would end at once; NULL: it would go on. */
const char *own_jobs_load (void);
/* What was loaded. */
Cli *own_jobs_loaded (void);
/* TEXT with short paths. */
const char *own_jobs_told (const char *text);
/* `PLACE: REASON` of what was refused; NULL: it was not. */
const char *own_jobs_refused (const char *name);
/* `VALUE (ORIGIN)` of `section.key`, as `pruned config` shows it; NULL: it does not. */
const char *own_jobs_setting (const char *key);

/* Loads all. Fails the test, and lets it go on, unless JOB is refused with WANT (NULL: it is
 * loaded). CASE: what is told of a failure. */
void own_jobs_expect (const char *one, const char *job, const char *want);

/* What a test has of its own, and why it is refused; NULL: it is not. */
typedef struct {
  const char *text, *want;
} OwnJobsCase;

/* Each of N CASES alone, as the file of the job `wrong`, beside a job that is well. */
void own_jobs_sections (const OwnJobsCase *cases, guint n);

/* FILE of a copy of OWN_JOB, in which OLD becomes NEW. */
typedef struct {
  const char *file, *old, *new, *want;
} OwnJobsChange;

void own_jobs_changes (const OwnJobsChange *cases, guint n);
