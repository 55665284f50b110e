/* Parsing canonical form and Rabin fingerprint of Avro schemas (Avro 1.11 specification, chapter
 * "Parsing Canonical Form for Schemas"). The fingerprint identifies a schema in single-object
 * encoding.
 *
 * Threads: any.
 */
#pragma once
#include "base/json.h"

/* The canonical form of any schema. PRUNED_REJECT: not a schema. g_free it. */
char *canonical_form (const json_t *schema, GError **error);

/* CRC-64-AVRO of a text. */
guint64 canonical_fingerprint (const char *canonical);
