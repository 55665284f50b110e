/* The room of the ledger: runs as rows, from the tick or event that asks for one to the row that is
 * there once. It uses the outbox.
 *
 * A run as a step, an intake or the dispatcher sees it, and its work message.
 * Threads: a value belongs to one thread. Ownership: run_free.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/outbox/publish.h"

typedef struct {
  char *run_id;
  const Job *job;
  int step, attempts;
  guint slot;
  gint64 scheduled_at_us, due_at_us;
  json_t *args;
  json_t *cursor; /* NULL: first step */
  /* only from a fence */
  char *parent_id, *error;
  char *wrong;     /* its row cannot be read: no retry can mend it. NULL: it can */
  json_t *result;  /* NULL: none yet */
  json_t *context; /* fields of its log lines, from its parent; NULL: none */
  gboolean first;
  gint64 now_us; /* the database's, at the fence */
} Run;

void run_free (Run *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Run, run_free)

/* From a row with the columns run_id, step, attempts, slot, args, cursor, scheduled_at, due_at
 * (microseconds), and those of the fence if they are there. */
Run *run_from_row (const Job *job, const PgRows *rows, int row);

/* When an event that sets a timer makes its run due: 00:00 UTC of the date, never before T. DATE
 * may be NULL: T. */
gint64 run_timer_due_us (const char *date, gint64 scheduled_at_us);
/* No step of a run of these arguments begins before this, whatever its row says: T, or the time
 * that its timer was set for. */
gint64 run_earliest_us (const Job *job, gint64 scheduled_at_us, const json_t *args);

/* Adds the work message of RUN to the bundle. */
void run_add_work (Bundle *bundle, const Run *run);

/* What a work message says; only these three count, the rest of it informs. */
typedef struct {
  char *run_id;
  int step, attempt;
} Work;
GArray *works_new (void); /* of Work, with a clear function */

/* PRUNED_REJECT: not a work message of JOB. */
gboolean work_decode (const KafkaMessage *message, const Job *job, Work *work, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* How a step failed, and what becomes of its run. All is borrowed. */
typedef struct {
  const char *run_id;
  int step, attempt; /* where the run is */
  const char *state; /* `waiting`, or how it ends */
  int attempts;      /* with this one */
  gint64 delay_ms;   /* until the next try */
  const char *error;
  const json_t *cursor, *result; /* NULL: they stay */
} RunFailure;
/* In the open transaction of PG. No row: somebody else has moved the run. */
PgRows *run_fail (Pg *pg, const RunFailure *failure, GError **error);

/* The cursor of RUN with the engine's own KEY (limit, systemic, timeouts) set to N. New reference.
 */
json_t *run_cursor_with (const Run *run, const char *key, gint64 n);
