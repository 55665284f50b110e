/* New runs become rows: for intake, steps (children) and the dispatcher (ticks that are due). A
 * run that exists, in any state, stays unchanged. A new run whose unique key an unfinished run
 * holds is skipped, replaces that run, or tries again in a second; see place_holders.h.
 *
 * Threads: a worker's or the dispatcher's, inside its open transaction. Ownership: specs are the
 * caller's.
 */
#pragma once
#include "engine/ledger/run.h"

/* The error of a run that is skipped because its job is disabled. */
#define PLACE_DISABLED "disabled"

typedef enum {
  PLACED_NOT,     /* not decided yet */
  PLACED_READY,   /* publish its work message after the commit */
  PLACED_WAITING, /* due later, or its job is paused */
  PLACED_SKIPPED, /* or ended otherwise */
  PLACED_KNOWN,   /* the run existed */
  PLACED_RUNNING  /* children only: another run holds the key; no row was made */
} Placed;

typedef struct {
  char *run_id, *parent_id;
  const Job *job;
  gint64 scheduled_at_us;
  gint64 due_at_us;   /* 0: now */
  gint64 delay_ms;    /* added to due_at_us */
  char *unique_key;   /* NULL: none */
  gboolean timer;     /* set by an event; the latest event wins (timer.h) */
  gboolean cancels;   /* the event cancels the timer */
  gboolean withdrawn; /* a later event, which is here already, has cancelled it */
  gboolean late_key;  /* takes its key when it is due, not before */
  json_t *args;
  char *named_table; /* of the row that an event of an application names; NULL: none does */
  json_t *context;   /* fields of its log lines; NULL: none */
  int attempts;
  const char *state; /* NULL: ready or waiting, by the due time; "skipped"; or "finished": it ends
                        blocked, as its job is refused */
  char *error;
  Placed placed;
  gint64 placed_due_us;
} RunSpec;

GArray *run_specs_new (void); /* of RunSpec, with a clear function */

/* Inserts SPECS in order and sets `placed` of each. AS_CHILDREN: a spec whose key is held makes no
 * row and supersedes nothing. */
gboolean place_runs (Pg *pg, GArray *specs, gboolean as_children, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Due runs without their key (waiting rows, locked): each takes its key, or is skipped, or tries
 * again in a second. KEYED: array literal of the names of jobs with a unique key. Adds the work
 * messages of ready runs to BUNDLE. *ANY: there were such runs, and there can be more. */
gboolean place_due (Pg *pg, const Jobs *jobs, const char *keyed, Bundle *bundle, gboolean *any,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whether the dispatcher must wake up when one of them is due. */
gboolean place_any_waiting (const GArray *specs);

/* Adds the work messages of the specs that were placed ready. */
void place_add_work (Bundle *bundle, const GArray *specs);
