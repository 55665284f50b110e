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
/* The second half of it. */
ExitCode cli_whose_check (Cli *cli, const CliWhose *whose, GError **error);
