/* The row of the journal that a command leaves (engine/ledger/journal.h). Every command that
 * changes something calls one of these.
 *
 * Threads: main only. Ownership: borrows everything.
 */
#pragma once
#include "cli/cli.h"

/* In the open transaction of PG, beside the change: what was done to OBJECT, and why (NULL: no
 * reason was given). VERB is the second word of a command like `quarantine drop`; NULL: it has
 * none. An error is PostgreSQL's: the caller rolls back. */
gboolean cli_note (Cli *cli, Pg *pg, const char *verb, const char *object, const char *reason,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same in a transaction of its own. */
gboolean cli_note_alone (Cli *cli, Pg *pg, const char *verb, const char *object, const char *reason,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A command that the daemon's page has started is of the person that pruned.page_acts names:
 * journal_act_for. Any other: nothing. FALSE: the page has not started it, or too long ago. */
gboolean cli_act_for_page (Cli *cli, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* For a change that Kafka has taken, which no error can undo: if the row cannot be written, that is
 * a warning. PG NULL: on a connection of its own; a database without schema pruned is no reason for
 * a warning. */
void cli_note_done (Cli *cli, Pg *pg, const char *verb, const char *object, const char *reason);
