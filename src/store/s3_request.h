/* Signed requests to an S3 service. Credentials may come from a file that is rotated.
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "config/config.h"
#include "http/http.h"

/* Of HttpResponse.header: the request's id; `true`: the service has made a delete marker. Of a
 * look: when the object was written. */
enum { S3_ID, S3_MARKER };
#define S3_MODIFIED S3_ID

typedef struct _S3Target S3Target;
/* PRUNED_FATAL names the setting that is wrong. */
/* BUCKET: whose keys have no prefix; NULL: what [store.object] says. */
S3Target *s3_target_new (const Config *config, const char *bucket, GError **error);
void s3_target_free (S3Target *target);
const char *s3_target_prefix (const S3Target *target);
const char *s3_target_name (const S3Target *target); /* `endpoint/bucket`, for words */
/* Looks whether the credentials' file has changed. Why no request can be signed (g_free it); NULL:
 * nothing is in the way. */
char *s3_target_obstacle (S3Target *target);

/* Whether every version of an object goes ([store.object] versions = all). */
gboolean s3_target_all_versions (const S3Target *target);

/* Deletes KEYS. VERSIONS: one version of each; NULL: none is named. */
HttpRequest *s3_request_bulk (S3Target *target, const GPtrArray *keys, const GPtrArray *versions);
/* Its answer has the headers S3_ID and S3_MARKER. VERSION: NULL: none is named. */
HttpRequest *s3_request_single (S3Target *target, const char *key, const char *version);
/* Lists versions of keys that begin with KEY, in their order. */
HttpRequest *s3_request_list (S3Target *target, const char *key);
/* Asks whether the bucket keeps versions. */
HttpRequest *s3_request_versioning (S3Target *target);
/* Reads one byte of an object. Its answer has the header S3_MODIFIED. */
HttpRequest *s3_request_look (S3Target *target, const char *key);
/* Writes CONTENT; the service compares it with its digests. Its answer has the header S3_ID: what
 * the service names it by (ETag). */
HttpRequest *s3_request_put (S3Target *target, const char *key, GBytes *content);
HttpRequest *s3_request_get (S3Target *target, const char *key);
