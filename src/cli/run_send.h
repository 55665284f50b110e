/* The work message of a run that a command has made ready: its lane gets it at once, and nobody
 * takes it for one that was lost.
 *
 * Invariant: what is asked before the transaction ends is everything that takes long, so that the
 * message follows the commit closely. Threads: main. Ownership: run_sender_free.
 */
#pragma once
#include "cli/cli.h"
#include "engine/ledger/run.h"

typedef struct _RunSender RunSender;

/* For runs of JOB. NULL: there is nobody to send to (no broker answers, no topic); WHY says so,
 * g_free it. */
RunSender *run_sender_new (Cli *cli, Job *job, char **why);
void run_sender_free (RunSender *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunSender, run_sender_free)
gboolean run_sender_send (RunSender *self, const Run *run, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
