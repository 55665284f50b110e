/* Whose messages a command writes or reads: those of the database of [postgres] url, if the topics
 * of the prefix are that database's (outbox/owner.h).
 *
 * Threads: main only. Ownership: cli_whose_clear what was asked.
 */
#pragma once
#include "cli/cli.h"
#include "engine/outbox/owner.h"

typedef struct {
  Origin origin; /* of this database; its identity is NULL if nobody has given it one */
  Origin owner;  /* of the topics; NULL: not said */
} CliWhose;
void cli_whose_clear (CliWhose *whose);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CliWhose, cli_whose_clear)

/* Asks the database and Kafka. An error with its code: the database has moved, Kafka does not
 * answer, or the topics have an owner and the database has no identity to compare. Where there is
 * no [postgres] url, or PostgreSQL does not answer, nothing is compared. PG can be NULL. */
ExitCode cli_whose_ask (Cli *cli, Pg *pg, char **settings, CliWhose *whose, GError **error);
/* The same; an error with CODE_CONFIG if they are another database's. After it the messages that
 * are sent have their origin. */
ExitCode cli_whose (Cli *cli, Pg *pg, GError **error);
/* Before a command commits what it has changed (PgSettings.may_commit): the server of PG was not
 * left behind, as far as the topics say. Kafka is asked once a process, and not for long; if it
 * does not answer, a warning says that nothing was compared, and the commit goes on: nobody must
 * need Kafka to stop everything. FALSE: it was left behind, both servers are named, and the exit
 * code is CODE_CONFIG (Cli.left_behind). Any other database than that of the topics is no matter
 * here: its rows are its own. */
void cli_whose_begin (Cli *cli); /* what it asks with */
gboolean cli_whose_may_commit (Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The second half of cli_whose. */
ExitCode cli_whose_check (Cli *cli, const CliWhose *whose, GError **error);
