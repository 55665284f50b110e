/* Replays messages of ticks and events: reads and places them as intake does, and reports the
 * result of each. A message whose run exists changes nothing.
 *
 * Invariant: no offset moves, neither the group's nor that of `pruned.intake`, and nothing goes to
 * the dead topic: the daemon continues where it was.
 *
 * Threads: main, of a command. Ownership: the caller's.
 */
#pragma once
#include "engine/ledger/admit.h"

typedef enum {
  REPLAY_DONE,        /* its run has ended, or it asks for none */
  REPLAY_RUNNING,     /* its run has not ended */
  REPLAY_STARTED,     /* its run was inserted */
  REPLAY_WOULD_START, /* the same, in a dry run */
  REPLAY_REFUSED      /* a reason of the dead topic */
} ReplayStatus;

/* The result for one run of a message, or for a message that asks for none (JOB NULL). */
typedef struct {
  const KafkaMessage *message;
  const char *job;    /* NULL: none, or not known */
  const char *run_id; /* NULL: none */
  ReplayStatus status;
  const char *state;  /* of the run; NULL: no run */
  const char *reason; /* NULL: none */
} ReplayResult;
typedef void (*ReplayTell) (const ReplayResult *result, gpointer data);

typedef struct {
  Pg *pg;
  Admission admission;   /* now_us: set here */
  Publisher *publisher;  /* NULL: a dry run */
  const char *ticks;     /* the topic of ticks; all others are topics of events */
  const Job *job;        /* NULL: every job */
  GHashTable *announced; /* of run ids, in a dry run: what earlier messages would start */
  ReplayTell tell;
  gpointer data;
} Replay;

/* Replays MESSAGES in one transaction. A message whose row PostgreSQL rejects is refused alone. */
gboolean replay_messages (Replay *replay, KafkaMessage *const *messages, guint n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
