/* The command that gives a role its rights, ready to be copied.
 *
 * Threads: main only.
 */
#pragma once
#include "cli/cli.h"

/* OWNER: of the application's tables; ROLE: the daemon's. NULL: not known. With the database of the settings, without a password, and the file
 * where it was installed. g_free it. */
char *grants_command (const Config *config, const char *owner, const char *role);
/* The database of the settings as USER (NULL: as it is) would name it, without a password. g_free it. */
char *grants_database (const Config *config, const char *user);
