/* Run ids and event ids: UUID version 5 (RFC 4122), made by libuuid.
 * Threads: any. Ownership: the caller provides the buffer.
 */
#pragma once
#include <glib.h>

#define UUID5_TEXT_SIZE 37

/* The namespace of run ids: UUIDv5 of the DNS name `pruned` (docs/messages.md). */
#define PRUNED_UUID_NAMESPACE "7fecac87-579a-560b-ad38-6378e9e225c0"

/* UUIDv5 of NAME (LEN bytes; -1: its length) in NAMESPACE (a valid UUID as text). */
void uuid5 (const char *namespace_uuid, const char *name, gssize len, char out[UUID5_TEXT_SIZE]);

/* The slot of a run: the first 4 bytes of its id, big-endian, modulo CAPACITY (docs/rules.md). */
guint uuid5_slot (const char *run_id, guint capacity);

gboolean uuid5_is_valid (const char *text);
