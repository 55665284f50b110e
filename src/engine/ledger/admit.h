/* What a tick or an event asks for: the runs that it starts, or the reason why it is refused. This
 * does not check whether those runs exist: intake and replay read a message alike, and differ in
 * what they do then.
 *
 * Threads: any, outside a transaction. Ownership: specs are the caller's.
 */
#pragma once
#include "engine/ledger/elsewhere.h"
#include "engine/ledger/own_keys.h"
#include "engine/ledger/place.h"
#include "kafka/message.h"

/* The error of a waiting run whose job the process that placed it does not have. */
#define ADMIT_ELSEWHERE "waits for a process that has the job"

typedef struct {
  const Jobs *jobs;
  gint64 keep_us;  /* [runs] keep_days */
  gint64 now_us;   /* the later of the database's clock and this machine's: a time more than 24 h
                      after it is refused */
  gint64 least_us; /* the earlier of the two: a time older than keep_us before it is refused; 0:
                      now_us */
  Pg *pg;
  Elsewhere **elsewhere; /* jobs that only other processes have; NULL: they do not count */
  OwnKeys *keys;         /* that applications' own events name, for a batch of messages */
  gint64 together_us;    /* monotonic: until then admit_prepare asks; 0: for all */
} Admission;

/* Asks for the keys that MESSAGES name, together. What it leaves out admit_message asks for. FALSE:
 * the database, or a schema registry, did not answer. */
gboolean admit_prepare (const Admission *admission, KafkaMessage *const *messages, guint n,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What became of a message. */
typedef struct {
  char *reason;         /* NULL: accepted; else for the dead topic (g_free it) */
  gboolean in_part;     /* refused, but not by all jobs: SPECS may be placed all the same */
  gboolean passed_over; /* of an application's own topic, and no event fits it */
} Admitted;

/* Adds the runs that MESSAGE asks for to SPECS. With a reason and not in part, none of SPECS may be
 * placed: they only show which runs were asked for. FALSE: as admit_prepare. */
gboolean admit_message (const Admission *admission, const KafkaMessage *message, gboolean is_tick,
                        GArray *specs, Admitted *out, GError **error) G_GNUC_WARN_UNUSED_RESULT;
