/* Commands to copy: they grant a role its rights, or run something as the owner of the tables.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* Runs what `pruned grants` prints for ROLE (the daemon's) as OWNER (of the application's tables).
 * NULL: not known. Without a password. g_free it. */
char *grants_command (const Config *config, const char *owner, const char *role);
/* The same with the owner and the role of OWNERS (cli_owners; NULL: not known). */
char *grants_of (const Config *config, const PgRows *owners);
/* The remedy of a command that needs the rights of the owner: `run it as the owner of schema
 * pruned, NAME: pruned ...`. While schema pruned does not exist, the owner of the application's
 * tables is named. g_free it. */
char *grants_as_owner (const Cli *cli, const PgRows *owners);
/* A command that runs SQL as USER. g_free it. */
char *grants_psql (const Config *config, const char *user, const char *sql);
/* The user that URL names, in either form of libpq. NULL: none. g_free it. */
char *grants_user (const char *url);
/* The URL of the settings' database for USER (NULL: the user of the settings), without a password.
 * g_free it. */
char *grants_database (const Config *config, const char *user);
/* TEXT, quoted for a shell where it needs quotes. g_free it. */
char *grants_word (const char *text);
