/* The members of a JSON object whose text is canonical (json_canonical_text): there a member ends
 * where its value ends, so numbers can be taken as written.
 *
 * Threads: any. Ownership: slices point into the text.
 */
#pragma once
#include <glib.h>

typedef struct {
  const char *text; /* NULL: missing */
  gsize len;
} Slice;

/* Where the members of OBJECT begin. */
const char *members_begin (const char *object);
/* The next member: KEY without its quotes, as it is written, VALUE as it is written. FALSE: there
 * is none. */
gboolean members_next (const char **at, Slice *key, Slice *value);
