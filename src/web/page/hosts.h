/* To which names the page answers. A page of another place can have its own name lead to this
 * address (DNS rebinding), and would then read this page; so only names that are known are
 * answered, and addresses, which nobody can do that with.
 *
 * Threads: any. Ownership: none.
 */
#pragma once
#include "config/config.h"

/* `[http] hosts` has names only. */
gboolean hosts_check (const Config *config, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* HOST, the header of a request (NULL: there was none), is an address, `localhost` or one of NAMES,
 * with or without a port. */
gboolean hosts_has (const char *names, const char *host);
/* HOST is one of NAMES, and has no port. */
gboolean hosts_names (const char *names, const char *host);
