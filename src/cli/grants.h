/* Commands that a role's rights and its owner's want, ready to be copied.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* OWNER: of the application's tables; ROLE: the daemon's. NULL: not known. With the database of the
 * settings, without a password, and the file where it was installed. g_free it. */
char *grants_command (const Config *config, const char *owner, const char *role);
/* The same of the role that this command runs as; asks PostgreSQL on a connection of its own. */
char *grants_asked (Cli *cli);
/* Which right this role lacks is in PostgreSQL's words; who has it, and what to run: `run it as
 * OWNER, who owns schema pruned: pruned ...`. Before our tables are there, the owner of the
 * application's is meant. g_free it. */
char *grants_as_owner (Cli *cli);
/* A statement that USER has to run, as a command. g_free it. */
char *grants_psql (const Config *config, const char *user, const char *sql);
/* The database of the settings as USER (NULL: as it is) would name it, without a password. g_free
 * it. */
char *grants_database (const Config *config, const char *user);
