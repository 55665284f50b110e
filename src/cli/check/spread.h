/* Keys of messages that are in several partitions of a topic: what is sent with such a key has no
 * order. Producers of different libraries choose the partition of a key in different ways.
 *
 * Threads: main only. Ownership: a Spread keeps nothing of the messages.
 */
#pragma once
#include "kafka/message.h"

typedef struct _Spread Spread;

Spread *spread_new (void);
void spread_free (Spread *spread);
void spread_note (Spread *spread, const KafkaMessage *message);
/* What is to be said of such keys in TOPIC; g_free it. NULL: there are none. */
char *spread_words (const Spread *spread, const char *topic);
