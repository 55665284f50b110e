/* What became of the rows of an erasure: for each table how many went, changed, stayed and why, or
 * failed and why, as the results of its runs have it.
 *
 * Threads: one worker. Ownership: erasure_tables_clear.
 */
#pragma once
#include "engine/step/step.h"

typedef struct {
  json_t *list;     /* as ErasureFinished has it: in the order of the jobs, below each the tables of
                       the rows that went with its own */
  char *failed;     /* `TABLE: why` of the first that failed; NULL: none did */
  gboolean planned; /* a job only plans */
} ErasureTables;

/* RUNS: of erasure_look.sql, one for each job of ERASURE, ended or parked. */
void erasure_tables_read (ErasureTables *tables, const SentenceEvent *erasure, const PgRows *runs);
void erasure_tables_clear (ErasureTables *tables);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ErasureTables, erasure_tables_clear)
/* The result of the erasure's run, STEP being its last one. */
void erasure_tables_count (const ErasureTables *tables, Step *step);
