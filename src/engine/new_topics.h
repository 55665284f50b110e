/* [topics] create = on: the daemon makes the topics that are missing.
 *
 * Threads: main at the start, the thread of the reload later; each call blocks.
 */
#pragma once
#include "engine/outbox/topics.h"

/* Does nothing with `off`. What cannot be made is one warning: whoever needs the topic finds it
 * missing. */
void new_topics_make (KafkaAdmin *admin, const Config *config, const GArray *wanted);
/* The same with a connection of its own, of KAFKA, for the topics that JOBS need. */
void new_topics_of (const char *const *kafka, const Config *config, const Jobs *jobs);
