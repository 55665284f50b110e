/* The journal: who changed what, and why (`pruned.journal`), announced as outcome OperatorAction.
 *
 * Invariant: the row and its message are written in the transaction of the change. A daemon sends
 * the message from the outbox, so that it is not lost while Kafka is away.
 *
 * Threads: any, each with its own Pg. Ownership: borrows everything.
 */
#pragma once
#include "engine/job/job.h"

typedef struct {
  const char *command; /* `pause`, `quarantine drop` */
  const char *object;  /* a job, a run, `job item`, a setting; not empty */
  const char *reason;  /* NULL: none was given */
} JournalEntry;

/* Rows of the outbox that commands leave have these steps, which no run has: the journal's, and
 * those about restored rows, which wait until what was told of their job before is sent. */
#define JOURNAL_STEP -1
#define RESTORED_STEP -2

/* This process's user and host, as `user@host`. g_free it. */
char *journal_actor (void);

/* The host of what somebody does on the page. */
#define JOURNAL_PAGE "page"
/* From here on this process acts for PERSON of the page: it is the user, and JOURNAL_PAGE the host.
 * Thread: main, before any other of these. */
void journal_act_for (const char *person);
/* That person; NULL: none. Who acts on the command line is a role of the database. */
const char *journal_person (void);

/* FALSE without ERROR: the schema is older than the journal, or not there. */
gboolean journal_is_there (Pg *pg, GError **error);

/* Adds ENTRY in the open transaction of PG, with the session's role and this process's user and
 * host. JOBS: some daemon has their lanes; one of them sends the message. PREFIX: of topics; NULL:
 * nobody is told (a schema that is new has no readers). */
gboolean journal_put (Pg *pg, const Jobs *jobs, const char *prefix, const JournalEntry *entry,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
