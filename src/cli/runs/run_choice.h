/* Which runs a command is about: ids and unambiguous prefixes of ids, or a filter.
 *
 * Threads: main only. Ownership: see run_choice_find.
 */
#pragma once
#include "cli/cli.h"

/* Of the options; NULL: not given. */
typedef struct {
  char *job, *state, *error_class, *since;
} RunFilter;

/* Checks that there is a FILTER or arguments, and not both. */
ExitCode run_choice_check (Cli *cli, const RunFilter *filter, GError **error);
gboolean run_choice_is_filter (const RunFilter *filter);
#define RUN_CHOICE_RETRY "retry"
/* Adds the ids, g_strdup'ed: of the command's arguments (with the runs of an erasure that WORD
 * means), or of the runs that FILTER matches and that can be retried (WORD: RUN_CHOICE_RETRY) or
 * have not ended (any other WORD, which an error names). Unknown: CODE_NOT_FOUND; ambiguous:
 * CODE_USAGE. */
ExitCode run_choice_find (Cli *cli, Pg *pg, const RunFilter *filter, const char *word,
                          GPtrArray *ids, GError **error);

/* The run that GIVEN is, or begins: *ID. The same codes. */
ExitCode run_choice_one (Pg *pg, const char *given, char **id, GError **error);
