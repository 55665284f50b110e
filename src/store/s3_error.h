/* Whether a service has done a request; if not, the cause, and a text that says what to do.
 * Threads: any. Ownership: see each function.
 */
#pragma once
#include "http/http.h"
#include "store/s3_xml.h"

typedef enum {
  S3_SLOW_DOWN,     /* the service asks for fewer requests */
  S3_NO_BULK,       /* the service has no bulk call */
  S3_BROKEN,        /* the service is out of order: retry later */
  S3_MISCONFIGURED, /* no retry heals it */
  S3_THIS_REQUEST   /* the request itself is refused */
} S3Fault;

/* Whether HTTP confirms a single delete. The answer is 204; some services send 200. An S3 service
 * sends a request id with it; a web server's page has a body. */
gboolean s3_says_deleted (const HttpResponse *http);
/* Whether it says that the service has made a delete marker. */
gboolean s3_says_marked (const HttpResponse *http);
/* ANSWER: the parsed body. BULK: the request had many keys. */
S3Fault s3_error_fault (const HttpResponse *http, const S3Answer *answer, gboolean bulk);
/* The text of the error; g_free it. */
char *s3_error_words (const HttpResponse *http, const S3Answer *answer);
/* Whether WORDS, the error of one key (`Code: Message`), is temporary: nothing is wrong with the
 * object. */
gboolean s3_error_is_for_later (const char *words);
