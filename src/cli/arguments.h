/* The command line taken apart: global options (before or behind the command), the command, its
 * options, its arguments. Options of a command go where its GOptionEntry table points to.
 *
 * Threads: main only. Ownership: invocation_clear frees what an Invocation holds.
 */
#pragma once
#include "cli/command.h"

typedef struct {
  const Command *command; /* NULL: only `pruned --help` */
  gboolean help, version, json;
  char *file;           /* -c */
  GPtrArray *overrides; /* -s, NULL-terminated once parsed */
  GPtrArray *arguments; /* NULL-terminated once parsed */
} Invocation;

void invocation_clear (Invocation *invocation);

/* COMMANDS ends with a NULL name. FALSE: a usage error, naming the nearest known word. */
gboolean arguments_parse (const Command *commands, int argc, char **argv, Invocation *out,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Help for one command, or for all of them (COMMAND NULL). g_free it. */
char *arguments_help (const Command *commands, const Command *command);

/* Sets ERROR: `unknown <what> 'text', did you mean 'name'?`, the question only if a name is near.
 */
void set_unknown (GError **error, const char *what, const char *text, const char *const *names);
