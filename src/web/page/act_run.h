/* A command that the page starts: this program again, with the sources of settings that the daemon
 * has. So what is done by the page is what the command does, with its refusals and its journal.
 *
 * Threads: the request's. Ownership: act_done_clear.
 */
#pragma once
#include <glib.h>

typedef struct {
  gboolean has_ended; /* else it still runs, and goes on */
  int code;           /* of its end; -1: it was killed */
  char *said;         /* on standard output and error */
} ActDone;
void act_done_clear (ActDone *done);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ActDone, act_done_clear)

/* ARGV[0] is this program. VARIABLE is set to VALUE for it. Waits MOST_MS at most. FALSE: it could
 * not be started. */
gboolean act_run (char **argv, const char *variable, const char *value, int most_ms, ActDone *done,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
