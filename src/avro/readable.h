/* A message of ours as JSON that any reader can use: field names, times and dates as in JSON that
 * producers send, JSON in a field as itself, numbers as texts, because many readers have 53 bits
 * for them.
 *
 * Threads: any. Ownership: of its arguments: none.
 */
#pragma once
#include "avro/message.h"

/* The value of SOURCE, as JSON in one line, its fields in the schema's order. g_free it. */
char *readable_write (const MessageSource *source, GError **error);
/* Appends to OUT what readable_write had of TYPE, as single-object Avro. FALSE: TEXT is not from
 * there. */
gboolean readable_read (const char *type, const char *text, gsize len, GByteArray *out);
