/* Sends the calls of an S3 service (s3_call.h): within the limiter's rate, again where the service
 * asks for it, and not once its parts are over.
 *
 * Invariant: each function that takes a call ends it, sends it, or hands its answer to `take`.
 * Threads: the one that makes a call, then only the HTTP thread. Ownership: a call is taken.
 */
#pragma once
#include "store/s3_call.h"
#include "store/s3_error.h"

void call_send (Call *call);
/* The store is down; its objects stay open. Use it again in RETRY_MS. */
void call_end_down (Call *call, const char *words, gint64 retry_ms);
/* A few times; then the store is down. WORDS say why. */
void call_try_again (Call *call, const char *words);
/* HTTP is not the answer that CALL is made for. TRUE: the trouble is the service's, and CALL is
 * taken. FALSE: *FAULT is S3_THIS_REQUEST, or S3_NO_BULK, if the service does not know such a
 * request; *WORDS (g_free it) is its answer. */
gboolean call_trouble (Call *call, const HttpResponse *http, const S3Answer *answer,
                       const char *broken, S3Fault *fault, char **words);
