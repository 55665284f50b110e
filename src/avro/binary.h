/* Looks through bytes that are said to be a datum, before avro-c may read them: avro-c 1.11
 * believes the lengths that it finds (a negative one is written outside its buffer, a short string
 * is leaked). What passes here can be read.
 *
 * Threads: any.
 */
#pragma once
#include "avro/records.h"

/* BYTES are one datum of SCHEMA and nothing else. PRUNED_REJECT with the field and what is wrong.
 */
gboolean binary_check (const Schema *schema, const guint8 *bytes, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
