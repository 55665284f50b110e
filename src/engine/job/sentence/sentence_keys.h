/* The keys of a `[retention NAME]` section, each with what reads its value. For sentence_read.c.
 *
 * Threads: any. Ownership: what is read belongs to the Sentence.
 */
#pragma once
#include "config/key.h"
#include "engine/job/sentence/sentence.h"

/* The last one's name is NULL. */
extern const Key sentence_keys[];

Sentence *sentence_new (void);
