/* The end of an erasure: its one outcome ErasureFinished.
 *
 * Threads: any. Ownership: borrows everything.
 */
#pragma once
#include "engine/ledger/run.h"

/* What the end says. */
#define ERASURE_FINISHED "finished"   /* each table is done */
#define ERASURE_FAILED "failed"       /* a table is not, and nothing will happen by itself */
#define ERASURE_PLANNED "planned"     /* its rows stay, because a job only plans */
#define ERASURE_WITHDRAWN "withdrawn" /* its event was cancelled before it began */

typedef struct {
  const char *how;      /* as in NamedEnd: part of the outcome's identity; NULL: none */
  const char *what;     /* see above */
  const char *reason;   /* NULL: none */
  const json_t *tables; /* NULL: none has begun */
} ErasureEnd;

/* RUN is that of an erasure. */
gboolean erasure_end_is_of (const Run *run);
/* Adds the outcome to BUNDLE, unless the erasure has none (`outcomes = none`). PREFIX: of topics.
 */
void erasure_end_tell (Bundle *bundle, const Run *run, const char *prefix, const ErasureEnd *end);
