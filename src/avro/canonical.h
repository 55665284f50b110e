/* Parsing canonical form and Rabin fingerprint of Avro schemas, as chapter "Parsing Canonical Form
 * for Schemas" of the Avro 1.11 specification says: what names a schema in single-object encoding.
 *
 * Threads: any.
 */
#pragma once
#include "base/json.h"

/* The canonical form of any schema. PRUNED_REJECT if it is none. g_free it. */
char *canonical_form (const json_t *schema, GError **error);

/* CRC-64-AVRO of a text. */
guint64 canonical_fingerprint (const char *canonical);
