/* What a command is. The one table of them is in src/main.c: parsing, help and "did you mean" are
 * made from it.
 *
 * Threads: main only.
 * Ownership: a Command is static; a Cli belongs to cli_main and lives as long as its command runs.
 */
#pragma once
#include "cli/output/output.h"
#include "config/config.h"
#include "engine/job/job.h"

/* Documented in docs/reference/commands.md. */
typedef enum {
  CODE_OK = 0,
  CODE_USAGE = 1,
  CODE_CONFIG = 2,
  CODE_POSTGRES = 3,
  CODE_KAFKA = 4,
  CODE_STORE = 5,
  CODE_NOT_FOUND = 6,
  CODE_ENDED_BADLY = 7, /* the requested run ended dead or skipped, is blocked or held, or all
                           its rows failed */
  CODE_TIME_OVER = 8,
  CODE_BUG = 70
} ExitCode;

typedef struct {
  const struct _Command *command;
  const JobCode *code; /* the jobs that are written in C */
  /* PgSettings.may_commit of its connections (whose.h) */
  gboolean (*may_commit) (struct _Pg *pg, GError **error);
  gboolean left_behind; /* it has refused */
  char **arguments;     /* without the options: NULL-terminated */
  guint n_arguments;
  Output *out;
  Jobs *jobs;         /* NULL if the command needs no configuration */
  Config *config;     /* the same */
  GHashTable *absent; /* {name: why}: built-in jobs that are not in force for lack of a table; NULL:
                         the command has not looked */
  const char *file, *const *overrides; /* the sources of the settings, to read them again */
  GPtrArray *urgent;                   /* the overrides of an urgent command; NULL: none */
  char *jobs_dir;                      /* [run] jobs_dir, if it is set */
  char *prefix;                        /* [topics] prefix as it is set; NULL: not set */
  gboolean no_registry;                /* [registry] url is not set */
  gboolean no_ledger;                  /* [erasures] ledger is off */
} Cli;

/* Returns the exit code. cli_main prints an error that it sets, once. */
typedef ExitCode (*CommandFunc) (Cli *cli, GError **error);

typedef struct _Command {
  const char *name;
  const char *arguments; /* as help shows them behind the name */
  const char *help;      /* one line */
  const char *example;
  CommandFunc run;
  const GOptionEntry *options; /* NULL: none */
  const char *more;            /* further help, NULL: none */
  guint least, most;           /* how many arguments */
  gboolean bare;               /* works without configuration */
  gboolean is_daemon;          /* SIGHUP does not end it */
  gboolean urgent;             /* with a wrong configuration it goes by [postgres] alone */
  gboolean any_schema;         /* uses only what every version has: works with a newer schema */
} Command;

#define ANY_NUMBER G_MAXUINT
