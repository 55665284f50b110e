/* What a tick or an event asks for: the runs that it starts, or the reason why it is refused. This
 * does not check whether those runs exist: intake and replay read a message alike, and differ in
 * what they do then.
 *
 * Threads: any. Ownership: specs are the caller's.
 */
#pragma once
#include "engine/ledger/place.h"
#include "kafka/message.h"

typedef struct {
  const Jobs *jobs;
  gint64 keep_us;  /* [runs] keep_days */
  gint64 now_us;   /* the later of the database's clock and this machine's: a time more than 24 h
                      after it is refused */
  gint64 least_us; /* the earlier of the two: a time older than keep_us before it is refused; 0:
                      now_us */
} Admission;

/* Adds the runs that MESSAGE asks for to SPECS. Returns NULL: accepted; else a reason for the dead
 * topic (g_free it). Then none of SPECS may be placed: they only show which runs were asked for. */
char *admit_message (const Admission *admission, const KafkaMessage *message, gboolean is_tick,
                     GArray *specs);
