/* New runs become rows: what intake, steps (children) and the dispatcher (ticks whose time has
 * come) have in common. A run that exists already, in whatever state, stays as it is; one that
 * meets an unfinished run of its unique key is skipped, takes that run's place, or tries again in a
 * second, see place.c.
 *
 * Threads: a worker's or the dispatcher's, inside its open transaction. Ownership: specs are the
 * caller's.
 */
#pragma once
#include "engine/ledger/run.h"

typedef enum {
  PLACED_NOT,     /* not decided yet */
  PLACED_READY,   /* its work message is to be published after the commit */
  PLACED_WAITING, /* due later, or its job is paused */
  PLACED_SKIPPED,
  PLACED_KNOWN,  /* the run existed */
  PLACED_RUNNING /* children only: somebody else has the key; no row was made */
} Placed;

typedef struct {
  char *run_id, *parent_id;
  const Job *job;
  gint64 scheduled_at_us;
  gint64 due_at_us;  /* 0: now */
  gint64 delay_ms;   /* on top of it */
  char *unique_key;  /* NULL: none */
  gboolean timer;    /* set by an event, of which the latest wins (timer.h) */
  gboolean cancels;  /* a timer's event that ends it */
  gboolean late_key; /* the key is taken when it is due, not before */
  json_t *args;
  json_t *context; /* fields of its log lines; NULL: none */
  int attempts;
  const char *state; /* NULL: ready or waiting, as the due time says; "skipped" */
  char *error;
  Placed placed;
  gint64 placed_due_us;
} RunSpec;

GArray *run_specs_new (void); /* of RunSpec, with a clear function */

/* Inserts SPECS in order and sets `placed` of each. AS_CHILDREN: a loser makes no row and
 * supersedes nothing. */
gboolean place_runs (Pg *pg, GArray *specs, gboolean as_children, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Due runs without their key (waiting rows, locked): each takes it, or is skipped, or tries again
 * in a second. KEYED: array literal of the jobs' names. Adds the work messages of those that are
 * ready. */
gboolean place_due (Pg *pg, const Jobs *jobs, const char *keyed, Bundle *bundle, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* For place_due.c: what becomes of the specs that LOSERS lists, whose keys HOLDERS (ids, NULL:
 * nobody) have; see place.c. */
gboolean place_meet_holders (Pg *pg, GArray *specs, const GArray *losers, const GPtrArray *holders,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The spec becomes a skipped run, `overlaps <holder>`. */
void place_skip (RunSpec *spec, const char *holder);

/* Is the dispatcher to look when they are due? */
gboolean place_any_waiting (const GArray *specs);

/* Adds the work messages of the specs that were placed ready. */
void place_add_work (Bundle *bundle, const GArray *specs);
