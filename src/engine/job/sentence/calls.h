/* Functions that a sentence calls, and that may change rows.
 *
 * Threads: that of the connection.
 */
#pragma once
#include "engine/job/sentence/catalogue.h"

/* Asks for N sentences, and notes the answers in ALL (of Catalogue). */
gboolean calls_read_each (Pg *pg, const Sentence *const *sentences, const GPtrArray *all,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
