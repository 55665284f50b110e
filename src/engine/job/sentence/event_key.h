/* How an event names rows: `key` of an [event] or [erasure] section, and of a job of an erasure.
 *
 * Threads: main, when it loads jobs. Ownership: the event owns what is read.
 */
#pragma once
#include "engine/job/sentence/sentence.h"

/* TEXT is a path like `payload.user.id`. PRUNED_FATAL: it is none. */
gboolean event_key_is_path (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* VALUE, paths to the columns of the primary key, or `column = path` for each, becomes the key of
 * EVENT. PRUNED_FATAL: it is none. */
gboolean event_key_take (SentenceEvent *event, const char *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
