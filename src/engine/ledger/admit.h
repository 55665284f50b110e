/* What a tick or an event asks for: the runs that it starts, or the reason why it is refused.
 * Whether those runs exist already is not asked here: intake and replay read a message alike and
 * differ in what they do about it.
 *
 * Threads: any. Ownership: specs are the caller's.
 */
#pragma once
#include "engine/ledger/place.h"
#include "kafka/message.h"

typedef struct {
  const Jobs *jobs;
  gint64 keep_us;  /* [runs] keep_days */
  gint64 now_us;   /* the database's, or this machine's if that is later: what is ahead of both is
                      refused */
  gint64 least_us; /* the earlier of the two: what is too old by both is refused; 0: now_us */
} Admission;

/* Adds to SPECS what MESSAGE asks for. Returns NULL: it is taken; else a reason of the dead topic
 * (g_free it): then nothing may be placed, and what was added only says what it would have been. */
char *admit_message (const Admission *admission, const KafkaMessage *message, gboolean is_tick,
                     GArray *specs);
