/* Converts a field's value between its three forms: Avro's (number or text), the content's (json_t,
 * see message.h), and PostgreSQL's text. Errors are PRUNED_REJECT and do not name the field;
 * `field_prefix` adds its name.
 *
 * Threads: any.
 */
#pragma once
#include "avro/records.h"

/* Content of a TIME. NULL: US is outside the supported years. */
json_t *field_from_time (gint64 us, GError **error);

/* Content of a STRING, UUID, OBJECT or JSON from its text of LEN bytes. */
json_t *field_from_text (FieldKind kind, const char *text, gsize len, GError **error);

/* The number of an INT, LONG, DATE or TIME that is given as text: dates and times as in JSON or as
 * PostgreSQL prints them. */
gboolean field_to_long (FieldKind kind, const char *text, gint64 *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Whether TEXT is a date that a message can carry: exactly `YYYY-MM-DD`, years 1 to 9999. */
gboolean field_date_is_valid (const char *text);

/* Whether TEXT is `infinity` or `-infinity`: dates in PostgreSQL, but not in Avro. */
gboolean field_is_infinite (const char *text);

/* Content of a field that is missing or null. PRUNED_REJECT: it may not be null. */
json_t *field_default (const SchemaField *field, GError **error);

/* Puts `field <name>: ` before the error. */
void field_prefix (GError **error, const SchemaField *field);
