/* A value's bytes, once its type and its framing are known, -> content (see message.h), with every
 * field of the schema in it: what is missing has its default.
 *
 * ARGS_TEXT, if not NULL, receives the canonical text of the field `args`, with numbers as they
 * were written. PRUNED_REJECT with a reason of docs/messages.md.
 *
 * Threads: any. Ownership: of the caller.
 */
#pragma once
#include "avro/records.h"

/* One datum, without frame. WANTED: the only fields that content gets; NULL: all. */
json_t *decode_avro (const Schema *schema, const guint8 *bytes, gsize len,
                     const char *const *wanted, char **args_text, GError **error);

json_t *decode_json (const Schema *schema, const char *text, gsize len, char **args_text,
                     GError **error);
