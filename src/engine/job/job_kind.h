/* The kinds of job, and what is true of all jobs of a kind. A Job has its kind from the moment that
 * it is loaded, and nothing else is asked to know it (tests/lint/kinds.py). What a room above does
 * for each kind is an array there, with a JobKindName for its index (work/step_set.c,
 * brakes/plan_mode.c).
 *
 * Threads: any. Ownership: all of it is constant.
 */
#pragma once
#include "engine/job/sentence/sentence.h"
#include "pruned/job.h"

typedef enum {
  KIND_PAGE,       /* the engine finds pages of rows, and applies them */
  KIND_CODED,      /* a function in C makes each step (JobCode.step) */
  KIND_ERRAND,     /* functions in C do, with a store in between (JobCode.errand) */
  KIND_OBJECTS,    /* pages of rows whose objects in a store go before them */
  KIND_FILES,      /* pages of rows that a file of an archive has before they go */
  KIND_PARTITIONS, /* pages of partitions, which are dropped */
  KIND_ERASURE,    /* it starts a run of each of several jobs, and ends when all of them have */
  JOB_KINDS
} JobKindName;

/* What a setting is where its section does not say it. */
typedef struct {
  const char *key, *value; /* NULL: the end */
} JobKindDefault;

typedef struct {
  JobKindName name;
  gboolean pages;          /* page.sql finds what is next; else a function in C knows it */
  gboolean rows;           /* what goes are rows, which the audit has; else whole tables */
  gboolean errand;         /* a step works between two transactions (JobErrand), and what it does
                              there cannot be rolled back */
  gboolean shares;         /* steps of several runs can share a transaction */
  gboolean counts_objects; /* what it counts as updated are objects */
  gboolean counted_ahead;  /* its rows can be counted before the first goes, without count.sql */
  gboolean waits;          /* a row can be put off to a later step of the run */
  gboolean ends_later;     /* a later step ends what one has counted and noted */
  gboolean owner;          /* only the owner of its table may do it */
  gboolean starts;         /* it has no rows and no files: it only starts runs of other jobs */
  const char *undivided;   /* why a run of it is not divided; NULL: the job says */
  const char *final;       /* why what it removed cannot be put back; NULL: the job says */
  const char *beyond;      /* why SQL files cannot do it; NULL: they can */
  const JobKindDefault *defaults; /* NULL: none */
} JobKind;

/* Either can be NULL. */
const JobKind *job_kind_of (const JobCode *code, const Sentence *sentence);
extern const JobKind *const job_kind_erasure;
/* Errands of several runs of CODE (NULL: FALSE) can share their transactions. */
gboolean job_kind_errands_share (const JobCode *code);
