/* Messages of ticks and events once more: read as intake reads them, placed as intake places them,
 * and told what became of each. What has its run already does nothing.
 *
 * Invariant: no offset moves, neither the group's nor that of `pruned.intake`, and nothing goes to
 * the dead topic: the daemon goes on where it was. Threads: main, of a command. Ownership: the
 * caller's.
 */
#pragma once
#include "engine/ledger/admit.h"

typedef enum {
  REPLAY_DONE,        /* its run has ended, or none was to be made */
  REPLAY_RUNNING,     /* its run has not ended */
  REPLAY_STARTED,     /* its run was made */
  REPLAY_WOULD_START, /* the same, dry */
  REPLAY_REFUSED      /* a reason of the dead topic */
} ReplayVerdict;

/* What became of one run of a message, or of a message that asks for none (JOB NULL). */
typedef struct {
  const KafkaMessage *message;
  const char *job;    /* NULL: none, or not known */
  const char *run_id; /* NULL: none */
  ReplayVerdict verdict;
  const char *state;  /* of the run; NULL: there is none */
  const char *reason; /* NULL: nothing is to be said */
} ReplayAnswer;
typedef void (*ReplayTell) (const ReplayAnswer *answer, gpointer data);

typedef struct {
  Pg *pg;
  Admission admission;   /* now_us: set here */
  Publisher *publisher;  /* NULL: dry */
  const char *ticks;     /* the topic of ticks; all others are events' */
  const Job *job;        /* NULL: every job */
  GHashTable *announced; /* of run ids, dry: what an earlier message would have started */
  ReplayTell tell;
  gpointer data;
} Replay;

/* MESSAGES (KafkaMessage) in one transaction. A row that the database does not take is refused
 * alone. */
gboolean replay_messages (Replay *replay, KafkaMessage *const *messages, guint n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
