/* What a command is. The one table of them is in src/main.c: parsing, help and "did you mean" are
 * made from it.
 *
 * Threads: main only.
 * Ownership: a Command is static; a Cli belongs to cli_main and lives as long as its command runs.
 */
#pragma once
#include "cli/output.h"
#include "config/config.h"
#include "engine/job/job.h"

/* docs/reference/commands.md says what they mean. */
typedef enum {
  CODE_OK = 0,
  CODE_USAGE = 1,
  CODE_CONFIG = 2,
  CODE_POSTGRES = 3,
  CODE_KAFKA = 4,
  CODE_STORE = 5,
  CODE_NOT_FOUND = 6,
  CODE_ENDED_BADLY = 7, /* the run asked for ended dead, skipped or blocked */
  CODE_TIME_OVER = 8,
  CODE_BUG = 70
} ExitCode;

typedef struct {
  const struct _Command *command;
  const JobCode *code; /* the jobs that are written in C */
  char **arguments;    /* what is left when the options are taken: NULL-terminated */
  guint n_arguments;
  Output *out;
  Jobs *jobs;                          /* NULL if the command wants no configuration */
  Config *config;                      /* the same */
  const char *file, *const *overrides; /* where the settings came from, to be read again */
} Cli;

/* Returns the exit code. An error that it sets is said once, by cli_main. */
typedef ExitCode (*CommandFunc) (Cli *cli, GError **error);

typedef struct _Command {
  const char *name;
  const char *arguments; /* as written behind the name */
  const char *help;      /* one line */
  const char *example;
  CommandFunc run;
  const GOptionEntry *options; /* NULL: none */
  const char *more;            /* further help, NULL: none */
  guint least, most;           /* how many arguments */
  gboolean bare;               /* works without configuration */
  gboolean is_daemon;          /* SIGHUP never ends it */
  gboolean any_schema; /* touches only what every version knows: goes on against a newer schema */
} Command;

#define ANY_NUMBER G_MAXUINT
