/* Whether a service did what it was asked; if not, whose fault it is, in words that say what to do.
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "http/http.h"
#include "store/s3_xml.h"

typedef enum {
  S3_SLOW_DOWN,     /* it has too much to do */
  S3_NO_BULK,       /* it knows no such call */
  S3_BROKEN,        /* it is not well: later */
  S3_MISCONFIGURED, /* no repetition mends it */
  S3_THIS_REQUEST   /* it is about what was asked for */
} S3Fault;

/* To a single delete. It is answered 204; some services say 200: an S3 service numbers its answers,
 * a web server's page has a body. */
gboolean s3_says_deleted (const HttpAnswer *http);
/* ANSWER: what its body says. BULK: it was asked for many keys at once. */
S3Fault s3_error_fault (const HttpAnswer *http, const S3Answer *answer, gboolean bulk);
/* g_free them. */
char *s3_error_words (const HttpAnswer *http, const S3Answer *answer);
/* WORDS of one key, `Code: Message`: the service could not do it just now, and nothing is wrong
 * with the object. */
gboolean s3_error_is_for_later (const char *words);
