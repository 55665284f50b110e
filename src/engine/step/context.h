/* What context.sql of a job says of rows, for the log lines about single ones: user and place. A
 * row of which it cannot be read, such as a text that is no UTF-8 in a database that does not check
 * that, has lines without it.
 *
 * Threads: one worker, inside the step's transaction. Ownership: halves_clear.
 */
#pragma once
#include "engine/step/halves.h"

/* Asks about KEYS (of char). A job without context.sql has no answers. */
gboolean context_ask (Step *step, const GPtrArray *keys, Halves *context, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The fields of the row KEY. New reference. */
json_t *context_fields (const Halves *context, const char *key);
