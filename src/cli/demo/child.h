/* A process that the demo starts, and that does not outlive the demo.
 *
 * Threads: main only (a child is killed when the thread that started it ends). Ownership:
 * child_free ends it.
 */
#pragma once
#include "base/error.h"

typedef struct _Child Child;

/* Starts ARGV in FOLDER; its output goes to LOG. If we are root it runs as user NAME; NULL: as
 * ourselves. */
Child *child_new (const char *const *argv, const char *folder, const char *log, const char *name,
                  GError **error);
gboolean child_is_running (Child *child);
/* SIGNAL, then SIGKILL if it has not ended after TIMEOUT_MS. */
void child_stop (Child *child, int signal_number, int timeout_ms);
void child_free (Child *child); /* kills it if it is running */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Child, child_free)

/* Runs ARGV until it ends; its output goes to LOG (NULL: to ours). If it fails ERROR is
 * PRUNED_FATAL, with the end of LOG. */
gboolean child_run (const char *const *argv, const char *folder, const char *log, const char *name,
                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
