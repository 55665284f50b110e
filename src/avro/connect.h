/* JSON with its schema, as Kafka Connect's JsonConverter writes it: `{"schema": ..., "payload":
 * ...}`. Without its schema some of it cannot be read: a Decimal is the base64 of its bytes, a date
 * a number of days.
 *
 * Threads: any.
 */
#pragma once
#include "base/json.h"

/* If BODY is one, its decimals become texts with all digits, and its bytes what shape_is_bytes
 * knows. Adds to TYPES what the schema calls each other text and integer: json_t -> name, both
 * borrowed from BODY. Of values in a map nothing is known. */
void connect_read (json_t *body, GHashTable *types);
