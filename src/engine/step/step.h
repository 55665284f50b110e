/* The room of steps: one step of one run inside its transaction: its page, locks, decision,
 * effects, audit. It uses the rooms before it, mainly jobs and the ledger; it knows no lanes.
 *
 * One step of one run, inside the transaction that plain.c or careful.c has begun: what
 * include/pruned/job.h offers to jobs, and what the step has gathered for its end (counters,
 * outcomes, children, log lines).
 *
 * Invariant: nothing leaves a Step before its transaction has committed.
 * Threads: one worker. Ownership: the Step owns what it gathered; Pg, Run and Bisect are borrowed.
 */
#pragma once
#include "engine/step/bisect.h"
#include "engine/ledger/place.h"
#include "pruned/job.h"

typedef struct {
  LogLevel level;
  char *message;
  json_t *fields;
} StepLog;

/* Why a step does not stand although nothing failed (engine/brakes). */
typedef enum {
  BRAKE_NONE,
  BRAKE_COUNT,  /* the run could exceed a limit: it is counted without locks, and held if it does */
  BRAKE_RANGES, /* what its range may change is used up: the run goes on undivided */
  BRAKE_PLANNED /* the step of a plan is done; with a cursor the plan continues after it */
} StepBrake;

/* What the runs that events start may still change together (engine/brakes/event_limits.h), in
 * rows; G_MAXINT64: any number. */
typedef struct {
  const char *limit;          /* the setting that holds the step; NULL: none */
  gint64 hour, day;           /* within an hour; own rows within 24 hours */
  gint64 went_hour, went_day; /* those that have gone */
  gint64 of_rows;             /* rows of the table */
} StepEvents;

/* How the rows of a step are found and gone through, if not as the pages of one chain. */
typedef enum {
  FINDS_FOR_EVENT = 1 << 0,   /* an event has started the run */
  FINDS_IN_RANGES = 1 << 1,   /* the run has ranges left, or is one (ranges.h) */
  FINDS_BESIDE = 1 << 2,      /* and others are worked off beside it */
  FINDS_TO_DIVIDE = 1 << 3,   /* it may be divided into ranges (work/divide.h) */
  FINDS_IN_PORTIONS = 1 << 4, /* rows below a large row go before it (portion.h) */
  FINDS_BEGUN = 1 << 5,       /* such a row was begun */
  FINDS_BY_ROWS = 1 << 6,     /* a search has failed: rows are asked by themselves (JobForm) */
  FINDS_AGAIN = 1 << 7,       /* rows were busy, and are looked at again (busy.h) */
  FINDS_ON_STANDBY = 1 << 8   /* pages are searched there (replica.h) */
} StepFinds;

/* A line of a plan. */
typedef void (*StepVisit) (const char *table, const char *key, const char *action,
                           const char *reason, gpointer data);

struct _Step {
  Pg *pg;
  const Job *job;
  gboolean portion; /* what is tried is a portion (portion.h): step_form */
  Run *run;
  guint finds;               /* of StepFinds: what the stage find has decided (find_decide) */
  const char *prefix;        /* of topics */
  Bisect *bisect;            /* NULL: no keys are tried */
  struct _Replica *replica;  /* its page can be searched there (replica.h); NULL: on the primary */
  struct _FoundPages *pages; /* found before it in its transaction (find.h); NULL: none is kept */
  gboolean plan;
  gint64 began_us;       /* monotonic */
  gint64 transaction_us; /* monotonic: its transaction began; that of an errand's settling begins
                            later than the step */
  gint64 most;  /* MOST of step_limit: rows that it touches if it is not cut (pace.h); 0: step_limit
                   was not called */
  gint64 tried; /* rows that it was about to touch; 0: not known */
  gint64 had;   /* the most that it has tried at once; 0: not known */
  gint64 bytes; /* of rows that its statements have recorded in this try */
  gboolean too_wide;    /* these were too many (pace.h) */
  gint64 took_us;       /* until its end, if other steps follow in the transaction; 0: none does */
  gint64 started_at_us; /* as the database has it */
  gboolean passes_busy; /* rows that other sessions hold are passed over (busy.h) */
  gboolean held; /* all that its last page, or try, was about is held by other sessions, or most */
  gboolean shared; /* other runs are stepped in the same transaction: what fails is not tried again
                      in it */
  gboolean many;   /* its statements are run for steps of several runs (page_set.c) */
  Step *before;    /* of the same run, in the same transaction; borrowed. NULL: none */
  gboolean followed;    /* by another step of its run in the same transaction */
  gboolean may_follow;  /* its next step can be in the same transaction */
  gboolean searching;   /* page.sql is at work, or has failed */
  gboolean found;       /* the keys of its page are those that page.sql has just returned */
  GPtrArray *arg_texts; /* of char: name, text, ...: arguments that are no text themselves */
  PgValues *common;     /* parameters of any statement; each made when it is wanted */
  json_t *said;         /* step_log_fields */
  gboolean unsaid;      /* its line `Started` is not written yet: that follows the transaction */
  /* gathered */
  json_t *counts; /* counter -> integer */
  json_t *beside; /* what step_count_beside counts in a try, which can be undone; borrowed. NULL: no
                     try is under way, and `counts` has it */
  struct _Beside *told_to; /* counts what its statements do not return (beside.h); borrowed. NULL:
                              nothing does */
  char *reason;
  GHashTable *answered; /* the keys of its rows of which the answer to an event tells what became;
                           NULL: it tells of none */
  char *t;              /* T, as outcomes have it */
  Bundle *bundle;       /* of the transaction; borrowed */
  GArray *children;     /* of RunSpec */
  GArray *logs;         /* of StepLog */
  GPtrArray *failed_items, *failed_reasons;
  GArray *failed_park; /* of int */
  GPtrArray *cured_items;
  GPtrArray *busy_items;
  GHashTable *kept_keys; /* of its rows, those that stay because one is held */
  char *busy_why;        /* of the last of these; NULL: there is none */
  GHashTable *refused;   /* keys that step_page found refused */
  gboolean continues;
  json_t *next_cursor; /* NULL: that of the run */
  RunProgress next;    /* of the run, if it continues */
  gint64 next_delay_ms;
  int numbered;   /* the highest number of a step that the run's ranges have had; 0: none has */
  gboolean ceded; /* of a range: its run does what is left of it */
  int passed; /* steps of this run that came before, in the same transaction: their pages were empty
               */
  char *waits_for,
      *waits_why; /* its row's entry in quarantine, and why (row_again.h); NULL: none */
  gint64 waits_ms;
  char *dead_of; /* the run ends dead for this reason, and what its step did stays; NULL: it does
                    not */
  char *wait_reason; /* the run waits for something other than time; NULL: it does not */
  GArray *ages;      /* of double: seconds */
  const PgStatement *on_failure;
  /* how to continue after a failure */
  gboolean again;      /* the same step at once, in a new transaction */
  gboolean halve;      /* the page is to be smaller */
  gboolean blocked;    /* something that the job needs is missing */
  char *outside;       /* a statement that has to run with no transaction open, before the step is
                          tried again (partitions.h); NULL: none */
  char *outside_relid; /* the partition that it is about */
  const char *error_class; /* NULL: the SQLSTATE, or the verdict */
  const char *takes_held; /* its last try would take a row that is held: hold, restored; NULL: no */
  gboolean below_known; /* what its last try takes lies on ways that were looked at (held_below.h):
                           only a trigger could have taken another held row */
  gboolean systemic;    /* most of the page fails alike: nothing is quarantined */
  /* brakes */
  gint64
      rows; /* own rows that this step has changed, those below, and children that it has placed */
  gint64 below; /* of these: rows beside the own ones, mostly of other tables, that were removed or
                   changed with them: by files, foreign keys and triggers */
  gint64 own_below;     /* of these: rows of the own table that went because a row above them did */
  gint64 rows_taken_in; /* rows of the run that its ranges have changed, in earlier transactions */
  gint64 counted, limited; /* `rows_counted` and `rows_limit` of the run's row; -1: unchanged */
  gint64 room;             /* rows that may still be leased; -1: any number */
  gint64 leased;     /* rows that an errand's lease has counted for limits and day; 0: it is none */
  StepEvents events; /* as its transaction was refused */
  StepBrake brake;
  /* a plan (plan.h): what it shows for each row; NULL: nothing */
  StepVisit plan_visit;
  gpointer plan_data;
  /* Called for each file of apply that has run, with the rows that it returned; NULL: not. */
  void (*applied) (const PgStatement *statement, gint64 rows, gpointer data);
  gpointer applied_data;
};

/* BUNDLE may be NULL where nothing is told. */
Step *step_new (Pg *pg, Run *run, const char *prefix, Bisect *bisect, Bundle *bundle);
/* The same for a plan: it may look ahead, and changes nothing. */
Step *step_new_plan (Pg *pg, Run *run);
void step_free (Step *step);
/* What the statements of STEP change is told to BESIDE from now on; NULL: to nothing. Returns what
 * it was told to before. */
struct _Beside *step_tell_to (Step *step, struct _Beside *beside);
/* VISIT gets the lines of a plan; NULL: nothing does. */
void step_plan_by (Step *step, StepVisit visit, gpointer data);
/* A job that is a sentence gets its SQL, as the catalogue is now. Before anything else that the
 * step asks the database. */
gboolean step_complete (Step *step, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The step is one of JOB, a version of its job with its SQL. A cursor that is of another primary
 * key says nothing about the rows: the run begins again. */
void step_take_job (Step *step, const Job *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Step, step_free)
/* The job whose files a try runs: that of the step, or its form for a portion. */
const Job *step_form (const Step *step);

/* What the steps of one transaction have gathered becomes rows: quarantine, children, and with the
 * commit the outbox and the runs themselves. */
gboolean steps_settle (GPtrArray *steps, Publisher *publisher, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* What STEP tells from here on is told by BUNDLE, of another transaction; NULL: nothing is. */
void step_tell_by (Step *step, Bundle *bundle);
/* Adds the outcome RunFinished. */
void step_add_run_finished (Step *step, const char *state, const char *result,
                            const char *error_text);
/* The run is dead: adds its outcome RunFinished, and that of a row which an event of an application
 * has named. ERROR_CLASS: NULL, there is none. */
void step_add_dead (Step *step, const char *result, const char *error_class,
                    const char *error_text);
/* The rest of a failure, before step_fail or step_block says why. */
void step_set_again (Step *step, gboolean again);          /* it is repeated at once, uncharged */
void step_set_error_class (Step *step, const char *class); /* a constant */
void step_set_brake (Step *step, StepBrake brake);         /* nothing has failed */
/* STEP, which a brake has stopped, is charged as one that has failed. */
void step_set_failed (Step *step);
/* STEP has changed OWN rows of its table, BELOW beside them, and OWN_BELOW of its table because a
 * row above them went. */
void step_add_rows (Step *step, gint64 own, gint64 below, gint64 own_below);
/* Takes over what is wrong with the job, as OTHER has found by looking ahead for the run of STEP.
 */
void step_fails_as (Step *step, const Step *other);
/* After the commit: the gathered lines. */
void step_write_logs (Step *step);
/* Adds N to a counter of an object. */
void step_add_count (json_t *counts, const char *counter, gint64 n);
/* Adds all counters of MORE (may be NULL), also those of the objects in it. */
void step_add_counts (json_t *counts, const json_t *more);
/* The key of a result under which the rows of other tables stand, by table and what has become of
 * them; and the counter of those that were removed or changed. */
#define STEP_TABLES "tables"
#define STEP_OTHERS "others"
#define STEP_DELETED "deleted"
#define STEP_CHANGED "changed"
#define STEP_INSERTED "inserted" /* they are told, and count for no limit */
/* The key under which stands why rows were kept that an event has named: reason -> number. */
#define STEP_KEPT "kept_for"
/* What the run of an erasure waits for; a row's entry in quarantine has a colon. */
#define STEP_WAITS_FOR_RUNS "runs"
/* N rows of TABLE, which are not the job's own, have become WHAT. */
void step_add_other (json_t *counts, const char *table, const char *what, gint64 n);
/* The common parameters, which any statement of a job may want; NULL-terminated. */
extern const char *const step_bound[];
/* The common parameter NAME. Owned by the step. */
const char *step_common (Step *step, const char *name);
/* Common parameters plus settings that STATEMENT wants, set in VALUES. */
void step_bind (Step *step, const PgStatement *statement, PgValues *values);
/* Adds an outcome from fields in the schema's order. */
void step_add_outcome (Step *step, const char *record, const char *entity,
                       const char *const *fields);
/* The number of the run's next step. */
int step_next_number (const Step *step);
/* The run as it is after this step, if it continues. Borrows from STEP. */
Run step_run_ahead (const Step *step);
/* The run of the step that follows STEP in the same transaction; free it after that step, with
 * step_next_run_free. */
Run *step_next_run (Step *step);
void step_next_run_free (Run *run);
/* STEP, which continues, does so after DELAY_MS and waits for REASON until then. */
void step_put_off (Step *step, const char *reason, gint64 delay_ms);
/* The step that follows STEP in the transaction is done. */
void step_is_followed (Step *step);
/* The run continues in this transaction: STEP becomes its next step. */
void step_go_ahead (Step *step);
/* The state in which the run of STEP ends with it. */
const char *step_end (const Step *step);
/* The steps from number FIRST on that went ahead were planned only: STEP stands for all of them,
 * and its run ends with it. */
void step_come_back (Step *step, int first);
/* The run's result so far with this step's counters added; STATUS as given. New reference. */
json_t *step_result (const Step *step, const char *status);
/* What the lines `Started` and `Finished` have in common. The step's. */
json_t *step_log_fields (Step *step);
