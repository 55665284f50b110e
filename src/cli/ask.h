/* The question before a command changes many things.
 * Threads: main only. Ownership: none.
 */
#pragma once
#include "cli/command.h"

/* Asks on a terminal whether to do DEED (`retry 7 runs`). CODE_OK: yes, or YES (the option) is set.
 * Else ERROR and CODE_USAGE; off a terminal the error names --yes. */
ExitCode ask_first (gboolean yes, const char *deed, GError **error);
