/* The pages of a batch are read before anything is changed. If a page is empty, reading it was the
 * step.
 *
 * A run whose page has no key and that continues at once reads its next page here: its steps
 * follow each other in this transaction, a few at most, and only after the last of them the run
 * continues through Kafka. Two runs that ask the same question of the same statement get one
 * answer, because nothing is changed in between.
 *
 * Threads: the worker that has the lane. Ownership: as said.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  Pg *pg;
  const char *prefix;
  Bundle *bundle;
  GPtrArray *steps;  /* of Step, owned: what has been done by looking */
  GHashTable *heavy; /* run id -> Run, borrowed: those whose page has rows */
  const Job *job;    /* in the version that is in force */
} Look;

/* All RUNS (of Run), fenced in the open transaction; fills `steps` and `heavy`. */
gboolean look_at_pages (Look *look, const GPtrArray *runs, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
