/* A process that the demo has started, and that does not outlive it.
 *
 * Threads: main only (a child is killed when the thread that made it ends). Ownership: child_free
 * ends it.
 */
#pragma once
#include "base/error.h"

typedef struct _Child Child;

/* ARGV in FOLDER; what it says goes to LOG. NAME is whom it may not be more than where we are root;
 * NULL: as we are. */
Child *child_new (const char *const *argv, const char *folder, const char *log, const char *name,
                  GError **error);
gboolean child_is_running (Child *child);
/* SIGNAL, then SIGKILL if it has not ended after TIMEOUT_MS. */
void child_stop (Child *child, int signal_number, int timeout_ms);
void child_free (Child *child); /* kills what still runs */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Child, child_free)

/* ARGV to its end, its output to LOG (NULL: to ours). PRUNED_FATAL with the end of LOG. */
gboolean child_run (const char *const *argv, const char *folder, const char *log, const char *name,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
