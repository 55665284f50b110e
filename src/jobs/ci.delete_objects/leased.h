/* What a step has leased, and the results.
 * Threads: a worker; none while the store works on it. Ownership: the errand's.
 */
#pragma once
#include "pruned/job.h"
#include "pruned/store.h"

typedef struct {
  StoreList list;
  GPtrArray *answers; /* of PgRows: lease, and rows */
  const char *lease;  /* when it expires */
  const PgRows *rows;
  int from;       /* the first object's row; those of other steps can stand before it */
  guint unleased; /* so many rows behind the objects' are not leased: a trigger or a rule keeps them
                   */
  GPtrArray *kept;     /* of char: ids of rows that stay ready, whatever is done */
  const char *reached; /* the last of the rows; NULL: none */
  char *beyond;  /* where the next step begins if objects are skipped and this step found fewer than
                    it could take */
  gboolean none; /* it has found no row that it could lease */
  gboolean is_full; /* there can be more in the same window */
  gboolean refused; /* PostgreSQL refuses to delete some rows, or they are held by other sessions:
                       the step finds out which */
  char **held;      /* of each object: why its row is held by another session; NULL: it is not. The
                       lease of such a row stays, and ends by itself */
  gboolean asked;   /* the step has found out which */
  gint64 limit;     /* how many are settled, because all took too long; 0: all */
} Leased;

/* How many rows of ANSWERS are leased; the others stand behind them. */
int leased_count (const GPtrArray *answers);
/* Of ANSWERS, of until.sql and lease.sql: N rows from row FROM on. Holds a reference. */
Leased *leased_new (GPtrArray *answers, int from, int n);
/* A column of object I. */
const char *leased_text (const Leased *leased, int i, const char *name);
void leased_free (gpointer leased);
/* The rows behind its objects, which are the last of the answers, are not leased. */
void leased_take_kept (Leased *leased);
/* Why row I failed. */
const char *leased_error (const Leased *leased, int i);
/* The objects with one of the results A and B: an array of int, g_array_unref it. */
GArray *leased_with (const Leased *leased, StoreResult a, StoreResult b);
/* Column NAME of objects FROM to TO (exclusive) of WHICH, as an array literal; g_free it. */
char *leased_column (const Leased *leased, const char *name, const GArray *which, guint from,
                     guint to);
