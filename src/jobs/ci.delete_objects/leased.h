/* What a step has leased, and what has become of it.
 * Threads: a worker; while the store has it, nobody. Ownership: the errand's.
 */
#pragma once
#include "pruned/job.h"
#include "pruned/store.h"

typedef struct {
  StoreBatch batch;
  GPtrArray *answers; /* of PgRows: lease, and rows */
  const char *lease;  /* until when */
  const PgRows *rows;
  Errand *errand;
  const char *reached; /* the last of the rows; NULL: none */
  char *beyond; /* where the next step begins that passes over objects, if this one found less than
                   it could take */
  gboolean is_full; /* there may be more where these were */
  gboolean refused; /* PostgreSQL does not let all of them go: which ones is to be found out */
  gboolean asked;   /* that was done once */
  gint64 limit;     /* so many are settled, because all took too long; 0: all */
} Leased;

/* ANSWERS, of until.sql and lease.sql, are taken. */
Leased *leased_new (GPtrArray *answers);
void leased_free (gpointer leased);
/* The rows with one of the results A and B: an array of int, g_array_unref it. */
GArray *leased_with (const Leased *leased, StoreResult a, StoreResult b);
/* Column NAME of rows FROM to TO (exclusive) of WHICH, as an array literal; g_free it. */
char *leased_column (const Leased *leased, const char *name, const GArray *which, guint from,
                     guint to);
