/* Decodes a value's bytes to content (see message.h), once its type and framing are known. The
 * content has every field of the schema; a missing field gets its default.
 *
 * ARGS_TEXT, if not NULL, receives the canonical text of the field `args`, with numbers as they
 * were written. IS_TOLERANT: a field that the schema does not have is passed over. PRUNED_REJECT
 * with a reason of docs/messages.md.
 *
 * Threads: any. Ownership: the caller owns the results.
 */
#pragma once
#include "avro/records.h"

/* Decodes one datum of SCHEMA, without frame. WANTED: the only fields that content gets; NULL:
 * all. */
json_t *decode_avro (const Schema *schema, const guint8 *bytes, gsize len,
                     const char *const *wanted, char **args_text, GError **error);

/* The same of what shape_read has read by a schema of the writer's own: fields are known by name,
 * and each must have a type that fits. */
json_t *decode_datum (const Schema *schema, const json_t *datum, gboolean is_tolerant,
                      char **args_text, GError **error);

json_t *decode_json (const Schema *schema, const char *text, gsize len, gboolean is_tolerant,
                     char **args_text, GError **error);
