/* avro-c writes, with one set of its objects per thread: its values and writers are not
 * thread-safe, and its reference counts are not atomic on every machine. Sets are made and freed
 * under one lock; a set lives as long as its thread.
 *
 * Threads: any; results belong to the calling thread.
 * Ownership: the module owns all. A value is valid until the same thread asks for the same schema
 * again.
 */
#pragma once
#include "avro/records.h"
#include <avro.h>

/* An empty value of SCHEMA, for this thread. */
avro_value_t *coder_value (const Schema *schema);

/* Appends VALUE as a datum. */
void coder_write (avro_value_t *value, GByteArray *out);

/* Aborts if RESULT of an avro-c call is a failure. For calls that fail only by a bug or lack of
 * memory. */
void coder_must (int result);
