/* avro-c, one set of its objects a thread: its values, readers and writers belong to one thread at
 * a time, and its reference counts are not atomic on every machine. Making and freeing a set is
 * done under one lock; a set lives as long as its thread.
 *
 * Threads: any; what is returned is the calling thread's.
 * Ownership: of the module. A value is good until the same thread asks for the same schema again.
 */
#pragma once
#include "avro/records.h"
#include <avro.h>

/* The thread's value of SCHEMA, empty. */
avro_value_t *coder_value (const Schema *schema);

/* One datum of SCHEMA, all of BYTES. PRUNED_REJECT. */
avro_value_t *coder_read (const Schema *schema, const guint8 *bytes, gsize len, GError **error);

/* Appends the datum. */
void coder_write (avro_value_t *value, GByteArray *out);

/* RESULT is avro-c's and cannot be a failure but for a bug or want of memory. */
void coder_must (int result);
