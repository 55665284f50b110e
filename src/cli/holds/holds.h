/* `pruned hold`, `pruned holds`, `pruned release`: rows that no job may take.
 *
 * A hold counts for every transaction that begins after its rows are committed, because each that
 * steps a run reads `pruned.holds` first (src/engine/work/sql/fence.sql). `pruned hold` then waits
 * for what had begun before, and looks whether all rows are still there: when it has ended well,
 * none of them can go.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"

/* Holds follow tables that have got another name, before rows are named and after they are held. */
gboolean holds_follow (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Rows of one table. */
typedef struct {
  char *tab, *name; /* with its schema; as PostgreSQL writes it */
  GPtrArray *keys;  /* of char, as the quarantine has them */
} HoldTable;

void holds_table_free (gpointer table);
HoldTable *holds_table_new (const char *tab, const char *name);

/* Waits for the steps that have begun before what is held now was committed; LEASES: and for those
 * that have given rows to a store. Says so every five seconds. */
gboolean holds_wait (Pg *pg, gboolean leases, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The rows of TABLE for which WHERE holds, asked once, read-only. */
ExitCode holds_find (Pg *pg, const char *table, const char *where, HoldTable **found,
                     GError **error);

/* Of TABLE's keys *N_MISSING are of no row; *MISSING (g_free it): the first of these rows, else it
 * is left. They are added to WENT (of char), if that is not NULL. */
gboolean holds_missing (Pg *pg, const HoldTable *table, char **missing, guint *n_missing,
                        GPtrArray *went, GError **error) G_GNUC_WARN_UNUSED_RESULT;
