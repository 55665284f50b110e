/* Commands that change runs: each run in a transaction of its own, with its row of the journal;
 * then the messages of those that became ready are sent.
 *
 * Threads: main only. Ownership: of the arguments: none.
 */
#pragma once
#include "cli/runs/run_choice.h"
#include "cli/runs/run_send.h"

/* A run that our transaction has locked. */
typedef struct {
  const char *run_id;
  gboolean archived;
  PgRows *row;        /* state, step, job, args, unique_key, scheduled_at, due_at, status, approved,
                        counted */
  RunSender *sender;  /* borrowed; NULL: its message cannot be sent now */
  Run *ready;         /* its message is sent after the commit; NULL: no message */
  gboolean unchanged; /* the run was already in the wanted state */
  char *told;         /* the reason for the journal; NULL: that of the options */
} LockedRun;

/* What a command does to one run; the caller commits. */
typedef ExitCode (*RunVerb) (Cli *cli, Pg *pg, LockedRun *run, GError **error);

typedef struct {
  const char *word; /* as in `retry 3 runs`; chooses the runs (run_choice.h) */
  RunVerb verb;
  gboolean again; /* it makes ready the runs that have stopped */
} RunDeed;

/* Options of a command, for its runs. */
typedef struct {
  RunFilter filter;
  gboolean yes; /* do not ask */
  char *reason; /* for the journal; NULL: none */
  int step;     /* one run, only as it was looked at: at this step; -1: any */
  gint64 rows;  /* and held with this count; -1: any */
} RunOptions;

ExitCode run_change (Cli *cli, const RunDeed *deed, const RunOptions *options, GError **error);
