/* A field's value between its three forms: Avro's (number or text), the content's (json_t, see
 * message.h), and text as PostgreSQL prints it. Errors are PRUNED_REJECT and do not name the field:
 * `field_prefix` does.
 *
 * Threads: any.
 */
#pragma once
#include "avro/records.h"

/* Content of an INT, LONG, DATE or TIME. NULL: it has none (a day or an instant outside the years
 * that we can say). */
json_t *field_from_long (FieldKind kind, gint64 value, GError **error);

/* Content of a STRING, UUID or JSON from its text of LEN bytes. */
json_t *field_from_text (FieldKind kind, const char *text, gsize len, GError **error);

/* The number of an INT, LONG, DATE or TIME given as text. Dates and times as in JSON or as
 * PostgreSQL prints them. */
gboolean field_to_long (FieldKind kind, const char *text, gint64 *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* What a message may carry: `YYYY-MM-DD` of the years 1 to 9999 and nothing else. */
gboolean field_date_is_valid (const char *text);

/* `infinity` and `-infinity`, which a date of PostgreSQL may be and a date of Avro may not. */
gboolean field_is_infinite (const char *text);

/* Puts `field <name>: ` before the error. */
void field_prefix (GError **error, const SchemaField *field);
