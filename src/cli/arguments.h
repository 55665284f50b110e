/* Parses the command line: global options (before or behind the command), the command, its options,
 * its arguments. A command's GOptionEntry table says where its options are stored.
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

/* COMMANDS ends with a NULL name. FALSE: a usage error that suggests the nearest known word. */
gboolean arguments_parse (const Command *commands, int argc, char **argv, Invocation *out,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Help for one command, or for all of them (COMMAND NULL). g_free it. */
char *arguments_help (const Command *commands, const Command *command);

/* Sets ERROR: `unknown <what> 'text', did you mean 'name'?`, without the question if no name is
 * near. */
void arguments_set_unknown (GError **error, const char *what, const char *text,
                            const char *const *names);
