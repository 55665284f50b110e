/* `deadline = 7 days unless CONDITION`: which rows stay on purpose, however old they are. They are
 * not overdue, unless the sentence's own condition names them: then a run should have taken them.
 *
 * Threads: any. Ownership: g_free what is returned.
 * Rules: docs/night.md.
 */
#pragma once
#include "engine/job/sentence/sentence.h"

/* VALUE without what stands behind `unless`, which SENTENCE takes, if KEY is `deadline`. NULL: that
 * is no condition. */
char *sentence_unless_take (Sentence *sentence, const char *key, const char *value, GError **error);
/* Which rows SENTENCE excuses, now: its `unless`; and *NAMED, which of these it does not: those
 * that a run of now would take. NULL: it excuses none. */
char *sentence_unless_now (const Sentence *sentence, char **named);
