/* `keep`, from the text of its section.
 *
 * Threads: any. Ownership: what is read belongs to the SentenceKeep.
 */
#pragma once
#include "engine/job/sentence/sentence.h"

/* `5 per user_id by seen_at desc`. PRUNED_FATAL says what is wrong. */
gboolean sentence_keep_read (SentenceKeep *keep, const char *value, GError **error);
