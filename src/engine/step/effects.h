/* What the apply files of one try really change, whatever they return. PostgreSQL counts the rows
 * that a transaction has deleted and updated in each table, partitions and triggers included. The
 * counts are read before the first file and after each file that deletes or updates (of a user's
 * folder: after each file), in the pipeline of these files.
 *
 * Invariant: a try in which rows of the job's own table went that no file returned, a file returned
 * a key that was not decided, or changed rows of its table in a way that its name denies, or of the
 * job's own table in one that it does not say, does not stand (guard.h).
 * Threads: one worker, inside the step's transaction. Ownership: effects_clear; the job outlives
 * it.
 */
#pragma once
#include "engine/step/beside.h"
#include "engine/step/guard.h"

/* How the counts of a file do not fit. */
typedef struct {
  gboolean too_many; /* it changed more rows than it returned, or in another way; else: fewer */
  gboolean lost;     /* rows were deleted that are not in the audit */
  gboolean sure;     /* no trigger can be the reason */
  gboolean beside;   /* rows of the job's own table changed, and the file's name does not say so */
  int events;        /* those whose triggers can be (effects_doubt.sql) */
} Doubt;

typedef struct {
  GPtrArray *tables; /* of const char: those that the job's files delete from or update, and those
                        that a watched file inserts into */
  GArray *counts;    /* of BesideCount, one a table, as last read; empty: not read yet */
  GArray *keys;      /* of EffectsKeys: whose the rows are that files of the user have returned */
  gint64 deleted, returned; /* of the job's own table since the try began: rows, and those told */
  const JobApply *last;     /* the file that ran last */
  Beside beside;            /* what changed beside what files returned */
  gboolean stirred; /* the file on the job's own table deletes, and rows of that were updated */
  /* the file whose counts do not fit and must be looked into; NULL: none */
  const JobApply *doubted;
  Doubt why;
  char *doubt;
} Effects;

void effects_init (Effects *effects, const Job *job);
void effects_clear (Effects *effects);

/* In a pipeline: the counts before the first file, if they were not read yet in this try. */
gboolean effects_queue_first (Step *step, Effects *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean effects_take_first (Step *step, Effects *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Behind the statement of APPLY; and once its answer RETURNED was taken. OWN: it is the file on the
 * job's own table. */
gboolean effects_queue (Step *step, const Effects *effects, const JobApply *apply, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean effects_take (Step *step, Effects *effects, const JobApply *apply, const PgRows *returned,
                       gboolean own, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Behind the pipeline: asks PostgreSQL about what the counts left open. */
gboolean effects_settle (Step *step, Effects *effects, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether RETURNED are exactly the rows WHICH (of int) of DECIDED, in their order, as they are
 * where no row is refused. Cheaper than to look for each. */
gboolean effects_are_all (const PgRows *returned, const PgRows *decided, const GArray *which);
/* RETURNED by the file on the job's own table, for the rows WHICH (of int) of DECIDED: none but
 * their keys, and none twice. */
gboolean effects_are_decided (Step *step, const JobApply *apply, const PgRows *returned,
                              const PgRows *decided, const GArray *which, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether all rows are of the keys that they were returned with, and have gone or changed. Then
 * runs what was deferred to the end of the transaction, and counts once more. */
gboolean effects_end (Step *step, Effects *effects, GError **error) G_GNUC_WARN_UNUSED_RESULT;
