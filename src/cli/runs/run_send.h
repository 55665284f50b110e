/* Sends the work message of a run that a command has made ready. Its lane gets it at once, so that
 * the daemon does not count it as lost.
 *
 * Invariant: everything slow is done before the transaction ends, so that the message follows the
 * commit closely.
 *
 * Threads: main. Ownership: run_sender_free.
 */
#pragma once
#include "cli/cli.h"
#include "engine/ledger/run.h"

typedef struct _RunSender RunSender;

/* For runs of JOB. NULL: nothing can be sent (no broker answers, there is no topic, or it
 * is another database's); WHY has the
 * reason, g_free it. */
RunSender *run_sender_new (Cli *cli, Job *job, char **why);
void run_sender_free (RunSender *sender);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunSender, run_sender_free)
gboolean run_sender_send (RunSender *sender, const Run *run, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
