/* AWS Signature Version 4 of requests to S3 ("Signature Calculations for the Authorization Header",
 * AWS). libcurl's own is not used: it refuses to sign a path as it is, and `a/./b` is another
 * object than `a/b`.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "http/http.h"

typedef struct _S3Signer S3Signer;
S3Signer *s3_signer_new (const char *region, const char *access_key, const char *secret_key);
void s3_signer_free (gpointer signer);

/* Adds the headers Host, x-amz-date and Authorization. All headers that REQUEST has are signed; one
 * of them is x-amz-content-sha256. A signature holds for some minutes from NOW_US on. */
void s3_sign (const S3Signer *signer, HttpRequest *request, gint64 now_us);
