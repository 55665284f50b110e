/* What the files of the registry share.
 * Threads: any. Ownership: the caller owns the answer.
 */
#pragma once
#include "avro/registry.h"

/* Asks for PATH, or sends BODY (JSON) there. PRUNED_REJECT: the registry has no such thing.
 * PRUNED_OUTAGE: it does not answer, or answers something else. */
json_t *registry_ask (const char *path, const char *body, GError **error);
