/* The pages of a batch are found before anything is changed. A run whose page is empty ends by
 * that, or goes on: then its next page is found here, too, and its steps follow each other in this
 * transaction, a few at most; only after the last of them it continues through Kafka. A page with
 * rows is kept for the step of its run (find.h).
 *
 * Threads: the worker that has the lane. Ownership: as said.
 */
#pragma once
#include "engine/step/find.h"

typedef struct {
  Pg *pg;
  const char *prefix;
  Bundle *bundle;
  GPtrArray *steps;  /* of Step, owned: what has been done by looking */
  FoundPages *pages; /* those with rows */
  GHashTable *heavy; /* run id -> Run, borrowed: those whose page has rows, or was not looked at */
  const Job *job;    /* in the version that is in force */
} Look;

/* All RUNS (of Run), fenced in the open transaction; fills `steps`, `pages` and `heavy`. */
gboolean look_at_pages (Look *look, const GPtrArray *runs, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
