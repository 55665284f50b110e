/* One step of one run of a built-in job, which a unit makes as it needs it.
 *
 * Threads: the test's own; config_test_run runs the tests. Ownership: of this module, until
 * steps_end.
 */
#pragma once
#include "engine/step/step.h"
#include "support/jobs.h"
#include "support/played.h"

#define STEPS_JOB "members.remove_expired"
#define STEPS_RUN "7fecac87-579a-560b-ad38-6378e9e225c0"

typedef struct {
  Job job; /* a copy: the test may change it */
  Run run; /* of a tick, without arguments */
  Step *step;
  GPtrArray *locks, *whats; /* of a folder of one's own; NULL: it is none */
  GArray *cursor;
} StepScene;

/* A play begins. SETTINGS: lines of the job's section. CURSOR: what the run's row has, JSON; NULL:
 * it is the first step. One at a time. */
StepScene *steps_begin (const char *settings, const char *cursor);
void steps_end (void);
/* Arguments of the run, JSON. */
void steps_args (StepScene *scene, const char *args);

/* --- a folder of one's own, /own, about the table `orders` --- */

/* The job becomes one, with CURSOR (`id bigint; at date desc`; `null`: it is open) and without any
 * files of apply. */
void steps_own_folder (StepScene *scene, const char *cursor);
/* The next file of apply of the rows decided as WORD, named after its number, TABLE and KIND. Valid
 * until the next one. */
JobApply *steps_own_file (StepScene *scene, const char *word, const char *table, ApplyKind kind);
/* A statement of the folder. */
const PgStatement *steps_own_statement (const char *file, const char *sql);
