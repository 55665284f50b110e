/* Decodes a value's bytes to content (see message.h), once its type and framing are known. The
 * content has every field of the schema; a missing field gets its default.
 *
 * ARGS_TEXT, if not NULL, receives the canonical text of the field `args`, with numbers as they
 * were written. PRUNED_REJECT with a reason of docs/messages.md.
 *
 * Threads: any. Ownership: the caller owns the results.
 */
#pragma once
#include "avro/records.h"

/* Decodes one datum, without frame. WANTED: the only fields that content gets; NULL: all. */
json_t *decode_avro (const Schema *schema, const guint8 *bytes, gsize len,
                     const char *const *wanted, char **args_text, GError **error);

json_t *decode_json (const Schema *schema, const char *text, gsize len, char **args_text,
                     GError **error);
