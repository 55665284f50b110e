/* Checks bytes that should be a datum before avro-c reads them. avro-c 1.11 trusts the lengths in
 * the bytes: for a negative one it writes outside its buffer, and a string that is cut short leaks.
 * Bytes that pass this check are safe to read.
 *
 * Threads: any.
 */
#pragma once
#include "avro/records.h"

/* Whether BYTES are exactly one datum of SCHEMA. PRUNED_REJECT names the field and the fault.
 */
gboolean binary_check (const Schema *schema, const guint8 *bytes, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
