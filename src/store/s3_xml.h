/* The bodies of DeleteObjects (Amazon S3 API reference, "DeleteObjects" and "Error responses").
 * Threads: any. Ownership: see each function.
 */
#pragma once
#include <glib.h>

/* Whether XML can represent KEY; a key that does not fit would make the call fail for all
 * others. */
gboolean s3_xml_fits (const char *key);
/* The body of the request for KEYS; all must fit. */
GString *s3_xml_delete (const GPtrArray *keys);

/* The service's result for each key. */
typedef struct {
  gboolean is_result;   /* the answer was a complete DeleteResult */
  gboolean is_html;     /* the answer was a web page */
  GHashTable *deleted;  /* a set of keys */
  GHashTable *errors;   /* key -> `Code: Message` */
  char *code, *message; /* of an Error document; NULL: the answer was none */
} S3Answer;
void s3_answer_clear (S3Answer *answer);

/* Reads an answer as it comes, in pieces of any size. */
typedef struct _S3Reader S3Reader;
S3Reader *s3_reader_new (void);
void s3_reader_feed (S3Reader *reader, const char *data, gsize len);
void s3_reader_free (S3Reader *reader); /* only if s3_reader_end was not called */
/* Takes the reader. FALSE: the bytes are not well-formed XML (cut off, or HTML); WHY (g_free) names
 * the fault. ANSWER has what was read before it. */
gboolean s3_reader_end (S3Reader *reader, S3Answer *answer, char **why);
/* The same for a complete answer. */
gboolean s3_xml_parse (const char *body, gsize len, S3Answer *answer, char **why);
