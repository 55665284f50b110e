/* What each view stands in: the head of the document, the menu, the line at its end.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "web/page/views.h"

/* All before what the view itself writes. */
Html *frame_begin (const View *view);
/* Ends HTML. When it was read is no change of what was read: *ETAG is of all but that. g_free both.
 */
char *frame_end (Html *html, char **etag);
/* In quotes; of an answer of LENGTH bytes. g_free it. */
char *frame_etag (const char *text, gsize length);
