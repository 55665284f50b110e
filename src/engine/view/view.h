/* What commands and the page list of the tables: each view is one statement with its columns. So
 * none of them says otherwise than another.
 *
 * Threads: those of the connection. Ownership: as said.
 */
#pragma once
#include "base/cell.h"
#include "engine/job/job.h"
#include "engine/night/night.h"

typedef enum {
  VIEW_DELAYS,    /* from due to started, of the last hour */
  VIEW_HELD_ROWS, /* each row that is held, of `tables` (NULL: any); `limit` */
  VIEW_HOLDS,
  VIEW_IN_FORCE,   /* settings of jobs in the processes; `seconds`: PROCESSES_FORCE_S */
  VIEW_JOURNAL,    /* `since`, `command`, `job`, `limit` */
  VIEW_NEAR,       /* the most rows of a run and of a day, since `since`; `job` */
  VIEW_NIGHTS,     /* the last 30 of each job; `job` */
  VIEW_NOBODY,     /* no process has the `job`; `seconds` */
  VIEW_OVERDUE,    /* the most overdue rows of each job and day, of the last 30; `job` */
  VIEW_PACE,       /* rows over the time of `run_id`, in equal parts; no row: it had one moment */
  VIEW_PAUSED,     /* `job`; no row: it is not */
  VIEW_PROCESSES,  /* `seconds` */
  VIEW_QUARANTINE, /* `all`, `job`, `limit`, and what view_bind_days binds */
  VIEW_READ,       /* how many runs of the last day were read a second time, and their rows */
  VIEW_REASONS,    /* of the quarantine, by `job`; counts up to 10,000 rows */
  VIEW_READINGS,   /* second readings that disagree, or do not end */
  VIEW_REFUSED,    /* jobs that processes refuse; `seconds` */
  VIEW_RUN,        /* `run_id`, `scheduled_at` */
  VIEW_RUNS,       /* `job`, `state`, `since`, `parents`, `limit`, `archive_from` */
  VIEW_STOP,
  VIEWS
} ViewId;

/* Those of its rows; NULL: it is no list. */
const Column *view_columns (ViewId id);
/* As people and queries name it; NULL: it is no list. */
const char *view_name (ViewId id);
/* In the caller's transaction. NULL: an error. */
PgRows *view_ask (Pg *pg, ViewId id, const PgValues *values, GError **error);

/* How many days each job waits before it tries a parked item again. */
void view_bind_days (PgValues *values, const Jobs *jobs, const Config *config);

/* The night of JOBS, by their settings in this process. night_free it. */
Night *view_night (const Jobs *jobs);
