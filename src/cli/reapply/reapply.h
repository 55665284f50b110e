/* `pruned reapply`: reads the ledger of erasures, looks which of its rows an old backup has brought
 * back, and asks for runs of their jobs that take these again.
 *
 * Threads: main only. Ownership: the Reapply has all.
 */
#pragma once
#include "base/seal.h"
#include "cli/cli.h"

/* A row that went, by the ledger: the latest entry about it and its job. */
typedef struct {
  char *job, *table, *key;
  gint64 erased_us;
  gboolean back;     /* `pruned restore` has brought it back since: it is not erased any more */
  char *there;       /* the key as the row has it that is there; NULL: it is not */
  const char *stays; /* why a row that is there stays; NULL: it goes */
  char *refusal;     /* what `stays` is then; NULL: not so */
} Erased;

typedef struct {
  Cli *cli;
  Pg *pg;
  GPtrArray *keys; /* of SealKey: the first is in force */
  gint64 since_us, now_us;
  GHashTable *rows;                  /* `<job>/<entry>`, by the key in force -> Erased */
  guint n, strange, sealed, expired; /* entries: read; of another database; sealed with another
                                        key; forgotten */
  GPtrArray *damaged;                /* of char: where those are that cannot be read, and why */
  gint64 n_damaged;                  /* entries */
  char *other_key;                   /* the id of that key; NULL: none */
} Reapply;

/* Reads the topic and the files, as [erasures] ledger says. */
ExitCode reapply_read (Reapply *reapply, GError **error);
/* Looks for the ROWS (of Erased) of JOB. TABLE: of what is no sentence; then JOB is that of such
 * runs, and rows of a table that is not there or has no key stay. PRUNED_FATAL: the catalogue
 * refuses the job. */
gboolean reapply_look (Reapply *reapply, const Job *job, const char *table, const GPtrArray *rows,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* In the open transaction: a run of JOB that takes those of ROWS that go. *RUN_ID: its id, or that
 * of an earlier one that has not ended, and then *BEFORE says its state (g_free both). */
gboolean reapply_place (Reapply *reapply, const Job *job, const char *table, const GPtrArray *rows,
                        char **run_id, char **before, GError **error) G_GNUC_WARN_UNUSED_RESULT;
