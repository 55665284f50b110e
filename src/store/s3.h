/* An S3 service as a store: DeleteObjects with up to 1000 keys a request, single deletes where the
 * service knows no bulk call.
 *
 * Invariant: an object is gone only if the service said so of its very key.
 * Threads: s3_new, its free: main; delete_part: any; answers on the HTTP thread. Ownership:
 * store.c.
 */
#pragma once
#include "store/store.h"

gpointer s3_new (const Config *config, GError **error);
extern const StoreKind s3_kind;
