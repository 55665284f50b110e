/* Keys of messages that are in several partitions of a topic: what is sent with such a key has no
 * order. Producers of different libraries choose the partition of a key in different ways.
 *
 * Threads: main only. Ownership: a Spread keeps nothing of the messages.
 */
#pragma once
#include "cli/check/check.h"
#include "kafka/message.h"

typedef struct _Spread Spread;

Spread *spread_new (void);
void spread_free (Spread *spread);
void spread_note (Spread *spread, const KafkaMessage *message);
/* A warning if there are such keys in the topic of EVENT. */
void spread_say (const Spread *spread, Check *check, const SentenceEvent *event);
